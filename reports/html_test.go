package reports

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

func TestHTML(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]*tape{
		"failing": failing(), "interrupted": interrupted(), "untrusted": untrusted(), "answers-only": answersOnly(), "sweep": sweep(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, "html-"+name+".golden", htmlOf(t, run.report()))
		})
	}
}

func htmlOf(t *testing.T, r Report) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, HTML(&out, r))
	return out.Bytes()
}

// elements lists every element of a document, as a browser sees it with or without its script.
func elements(t *testing.T, doc []byte, scripting bool) []*html.Node {
	t.Helper()
	root, err := html.ParseWithOptions(bytes.NewReader(doc), html.ParseOptionEnableScripting(scripting))
	require.NoError(t, err)
	var out []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			out = append(out, n)
		}
	}
	return out
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func TestHTMLShowsFailuresFirst(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, n := range elements(t, htmlOf(t, failing().report()), true) {
		if n.Data == "article" {
			ids = append(ids, attribute(n, "aria-label"))
		}
	}
	assert.Equal(t, []string{"Case K4", "Case double-send", "Case material-difference[note]/changed", "Case crash-before-commit", "Case K1", "Case K6"}, ids)
}

// Every link within the page leads somewhere, and no name is given twice.
func TestHTMLLinksLead(t *testing.T) {
	t.Parallel()
	r := failing().report()
	r.Cases = append(r.Cases, sweep().report().Cases...)
	nodes := elements(t, htmlOf(t, r), true)
	names := map[string]int{}
	for _, n := range nodes {
		if id := attribute(n, "id"); id != "" {
			names[id]++
		}
	}
	for id, n := range names {
		assert.Equal(t, 1, n, id)
	}
	links := 0
	for _, n := range nodes {
		if to, ok := strings.CutPrefix(attribute(n, "href"), "#"); ok {
			links++
			assert.Contains(t, names, to)
		}
	}
	assert.Greater(t, links, 10)
}

// Nothing is loaded: the page has one style and one script, and its policy names just these.
func TestHTMLIsSelfContained(t *testing.T) {
	t.Parallel()
	policy, scripts, styles := "", 0, 0
	for _, n := range elements(t, htmlOf(t, failing().report()), true) {
		assert.Empty(t, attribute(n, "src"))
		assert.Empty(t, attribute(n, "style"))
		switch n.Data {
		case "meta":
			if attribute(n, "http-equiv") == "Content-Security-Policy" {
				policy = attribute(n, "content")
			}
		case "link":
			assert.Equal(t, "data:,", attribute(n, "href"))
		case "script":
			scripts++
			assert.Contains(t, policy, "script-src '"+htmlHash(textOf(n))+"'")
		case "style":
			styles++
			assert.Contains(t, policy, "style-src '"+htmlHash(textOf(n))+"'")
		}
	}
	assert.Equal(t, 1, scripts)
	assert.Equal(t, 1, styles)
	assert.Contains(t, policy, "default-src 'none'")
	assert.NotContains(t, htmlStyle, "url(")
	assert.NotContains(t, htmlStyle, "@import")
}

func TestHTMLAnchorsAreStable(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "case-K1", htmlAnchor("K1"))
	assert.Equal(t, "case-double-send-two-tenants", htmlAnchor("double-send-two-tenants"))
	assert.Equal(t, "case-K2-own-key-542dbf", htmlAnchor("K2[own-key]"))
	seen := map[string]string{}
	for _, id := range []string{"a[b]c", "a[bc]", "a[b/c]", "a[b]/c", "a-b-c", "a b", "a-b", "-a-b", "", " ", "é", "ü"} {
		a := htmlAnchor(id)
		assert.Regexp(t, `^case-[A-Za-z0-9._-]+$`, a)
		assert.Empty(t, seen[a], "%q and %q", id, seen[a])
		seen[a] = id
	}
}

func TestHTMLBodiesSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	assert.Equal(t, htmlBody{"", "empty"}, newHTMLBody(NewText(nil, 0)))
	b := newHTMLBody(NewText([]byte("line one\nline\ttwo\r\n"+strings.Repeat("x", 100)), 20))
	assert.Equal(t, "line one\nline\\ttwo\\r\nx", b.Text)
	assert.Regexp(t, `^cut: the first 20 of 119 bytes are shown · sha256 [0-9a-f]{64}$`, b.Note)
	assert.Contains(t, newHTMLBody(NewText([]byte("\xff\x00"), 0)).Note, "2 bytes · not text, shown as base64 · sha256 ")
}

func TestHTMLLeavesOutWhatNobodyReads(t *testing.T) {
	t.Parallel()
	run := newTape()
	run.start()
	run.plan("K1")
	for i := range exchangesAtMost + 200 {
		x := run.exchange(fmt.Sprintf("send %d", i), i, fmt.Sprintf("key-%d", i), 1, 201, "D1", Created)
		run.emit("K1", Event{Kind: KindExchange, Exchange: &x})
		run.wait(1)
	}
	run.emit("K1", Event{Kind: KindFinding, Finding: &Finding{Kind: Duplicate, Exchanges: []string{"send 250"}}})
	run.end("")
	c := newHTMLCase(RunStarted{}, run.report().Cases[0], htmlForm{})
	assert.Len(t, c.Exchanges, exchangesAtMost)
	assert.Equal(t, 200, c.More)
	assert.NotEmpty(t, c.Findings[0].ShownBy[0].Anchor, "the evidence is not left out")
	var sent []string
	for _, x := range c.Exchanges {
		sent = append(sent, x.Name)
	}
	assert.Equal(t, []string{"send 0", "send 1"}, sent[:2])
	assert.Equal(t, "send 499", sent[len(sent)-1])
}

// many is a run of n cases with five exchanges each, every twentieth of them a duplicate.
func many(n int) Report {
	run := failing()
	template := run.report()
	k4, double := template.Cases[1], template.Cases[3]
	r := template
	r.Cases = nil
	for i := range n {
		c := k4
		c.Verdict, c.Findings, c.Reason = Pass, nil, "created, conflict"
		if i%20 == 0 {
			c = double
		}
		for len(c.Exchanges) < 5 {
			c.Exchanges = append(c.Exchanges[:len(c.Exchanges):len(c.Exchanges)], c.Exchanges[0])
		}
		c.ID = fmt.Sprintf("case-of-a-long-suite[row-%05d]", i)
		r.Cases = append(r.Cases, c)
	}
	r.Summary = Summary{Cases: n, Fail: (n + 19) / 20, Pass: n - (n+19)/20}
	r.Outcome = ExitStatus(r)
	return r
}

// counter counts what is written, and keeps the most memory that was in use meanwhile.
type counter struct {
	n    int64
	peak uint64
}

func (c *counter) Write(p []byte) (int, error) {
	if c.n/(8<<20) != (c.n+int64(len(p)))/(8<<20) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		c.peak = max(c.peak, m.HeapInuse)
	}
	c.n += int64(len(p))
	return len(p), nil
}

// A large report is not a large document: the inside of a case is one text until it is opened.
func TestHTMLOfManyCases(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 cases")
	}
	r := many(10_000)
	began := time.Now()
	var c counter
	require.NoError(t, HTML(&c, r))
	t.Logf("10,000 cases of 5 exchanges: %d MB in %v, heap at most %d MB", c.n>>20, time.Since(began).Round(time.Millisecond), c.peak>>20)

	part := many(200)
	doc := htmlOf(t, part)
	perCase := len(elements(t, doc, true)) / len(part.Cases)
	t.Logf("%d elements for a case while it is closed, %d without the script", perCase, len(elements(t, doc, false))/len(part.Cases))
	assert.Less(t, perCase, 20)
}

func BenchmarkHTML(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		r := many(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				var c counter
				if err := HTML(io.MultiWriter(&c), r); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(c.n)/float64(n), "bytes/case")
			}
		})
	}
}
