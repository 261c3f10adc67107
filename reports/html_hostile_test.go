package reports

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// attacks are what a target may answer to the one who opens the report.
var attacks = map[string]string{
	"script":          `</script><script>alert(1)</script>`,
	"noscript":        `</noscript><img src=x onerror=alert(1)><noscript>`,
	"style":           `</style><style>*{display:none}</style>`,
	"title":           `</title><svg onload=alert(1)>`,
	"pre":             "</pre></details></li><h1 id=owned>K1 pass</h1>",
	"double quote":    `"><img src=x onerror=alert(1)> x="`,
	"single quote":    `' onmouseover='alert(1)' x='`,
	"attribute":       ` onfocus=alert(1) autofocus x=`,
	"entities":        `&lt;img src=x onerror=alert(1)&gt;&#60;b&#62;&amp;lt;i&amp;gt;`,
	"javascript":      `javascript:alert(1)`,
	"comment":         `<!-- <script> --!> <![CDATA[ ]]> <?x ?>`,
	"template":        `{{.}} {{define "x"}} ${alert(1)} {{"{{"}}`,
	"backtick":        "`${alert(1)}`",
	"foreign":         `</svg></title></text><math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
	"does not print":  hostile,
	"null and bidi":   "\x00<b>\u202egnp.exe\u2066\u2069\ufeff<\x00script>",
	"bytes":           "\xff\xfe<\xc0\xbcscript>",
	"line separators": "\r\n\u2028\u2029\f\v<p>",
}

// everywhere has a text in each field of a report that can hold one.
func everywhere(text string) Report {
	run := failing()
	run.emit("K4", Event{Kind: KindNote, Note: &Note{Text: "seen", Warning: true}})
	r := run.report()
	r.Preflight = &Preflight{Counts: []int{0, 1, 1}, IDs: []string{"D1"}, Reason: "why", Stop: true, Finding: &Finding{Message: "m"}}
	r.Stopped, r.Complete = "stopped", false
	r.Cases[1].Source = append(r.Cases[1].Source, "https://example.com/spec?from=", "javascript:")
	r.Cases[1].Findings[1].Source = "http://example.com/#"
	r.Cases[1].Exchanges[0].Body = Text{Text: "a\nb", Size: 3, Cut: true}
	r.Cases[1].Faults = []CaseFault{{Fault{"restarted", "failed"}, 70}}
	r.Cases[1].Points = []CrashPoint{
		{Part: "INSERT#1:after", Label: "INSERT", Occurrence: 1, Side: "after", Fault: "kill", Saw: "no answer", Retry: Created, Expected: "1",
			Verdict: Fail, Finding: Duplicate, Reason: "2 records"},
		{Part: "COMMIT#1:after", Fault: "disconnect", Saw: "201", Expected: "1", Verdict: Inconclusive, Reason: "not seen"},
	}
	return mapTexts(r, func(s string) string {
		if s == PurposeAttempt {
			return s
		}
		return s + text
	})
}

// skeleton is the elements of a document with the names of their attributes: all that a text cannot change.
func skeleton(nodes []*html.Node) []string {
	var out []string
	for _, n := range nodes {
		var names []string
		for _, a := range n.Attr {
			names = append(names, a.Key)
		}
		slices.Sort(names)
		out = append(out, n.Data+" "+strings.Join(names, " "))
	}
	return out
}

// requireSame names the first difference; the lists are too long for a diff of the whole.
func requireSame(t *testing.T, want, got []string) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		require.Equal(t, want[i], got[i], "element %d", i)
	}
	require.Equal(t, len(want), len(got))
}

func TestNothingFromATargetBecomesMarkup(t *testing.T) {
	t.Parallel()
	plain := htmlOf(t, everywhere("x"))
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := htmlOf(t, everywhere(attack))
			requirePrintable(t, string(doc))
			for _, scripting := range []bool{true, false} {
				nodes := elements(t, doc, scripting)
				requireSame(t, skeleton(elements(t, plain, scripting)), skeleton(nodes))
				requireHarmless(t, nodes)
			}
		})
	}
}

// requireHarmless looks at the values of attributes: none runs anything, and links lead to the web or into the page.
func requireHarmless(t *testing.T, nodes []*html.Node) {
	t.Helper()
	for _, n := range nodes {
		for _, a := range n.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on"), a.Key)
			require.NotEqual(t, "srcdoc", a.Key)
			if a.Key != "href" {
				continue
			}
			ok := strings.HasPrefix(a.Val, "#") || strings.HasPrefix(a.Val, "https://") || strings.HasPrefix(a.Val, "http://") || a.Val == "data:,"
			require.True(t, ok, "link to %q", a.Val)
		}
	}
}

// What the script builds when a case of a large report is opened is what a browser without a script shows.
func TestNothingFromATargetBecomesMarkupWhenItIsBuiltLate(t *testing.T) {
	t.Parallel()
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small := everywhere(attack)
			want := elements(t, htmlOf(t, small), true)
			large := everywhere(attack)
			for range inlineAtMost/exchangesAtMost + 1 { // cases that nobody looks at make it a large report
				c := large.Cases[0]
				c.ID += "more"
				c.Exchanges = make([]Exchange, exchangesAtMost)
				large.Cases = append(large.Cases, c)
			}
			doc := htmlOf(t, large)
			nodes := elements(t, doc, true)
			requireHarmless(t, nodes)
			for _, id := range []string{small.Cases[1].ID, small.Cases[3].ID} {
				article := find(t, nodes, htmlAnchor(id))
				var built []*html.Node
				body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
				require.Equal(t, "noscript", article.FirstChild.Data)
				fragment, err := html.ParseFragment(strings.NewReader(article.FirstChild.FirstChild.Data), body)
				require.NoError(t, err)
				for _, top := range fragment {
					built = append(built, subtree(top)...)
				}
				requireHarmless(t, built)
				requireSame(t, skeleton(subtree(find(t, want, htmlAnchor(id)))[1:]), skeleton(built))
			}
		})
	}
}

func find(t *testing.T, nodes []*html.Node, id string) *html.Node {
	t.Helper()
	for _, n := range nodes {
		if attribute(n, "id") == id {
			return n
		}
	}
	require.Fail(t, "no element", id)
	return nil
}

func subtree(n *html.Node) []*html.Node {
	var out []*html.Node
	if n.Type == html.ElementNode {
		out = append(out, n)
	}
	for d := range n.Descendants() {
		if d.Type == html.ElementNode {
			out = append(out, d)
		}
	}
	return out
}

// What was sent is shown as it was, and not only kept from doing harm.
func TestHTMLShowsWhatATargetSaid(t *testing.T) {
	t.Parallel()
	run := newTape()
	run.start()
	run.plan("K1")
	x := run.exchange("first", 1, key1, 3, 201, "D1", Created)
	x.Content = NewText([]byte("<b>bold</b>\n&amp; \u202e"), 0)
	x.Answer = map[string][]string{"X-Say": {"a\r\nSet-Cookie: b"}}
	run.emit("K1", Event{Kind: KindExchange, Exchange: &x})
	run.end("")
	var texts []string
	for _, n := range elements(t, htmlOf(t, run.report()), true) {
		if n.Data == "pre" {
			texts = append(texts, textOf(n))
		}
	}
	assert.Contains(t, texts, "<b>bold</b>\n&amp; \\u202e")
	assert.Contains(t, texts, "HTTP/1.1 201\nX-Say: a\\r\\nSet-Cookie: b")
}

func TestHTMLLinksOnlyTheWeb(t *testing.T) {
	t.Parallel()
	for text, linked := range map[string]bool{
		"https://datatracker.ietf.org/doc#section-2.6": true, "http://h/x": true, "HTTPS://h/": true,
		"javascript:alert(1)": false, "JaVaScRiPt://h/%0aalert(1)": false, "data:text/html,x": false, "file:///etc/passwd": false,
		"//h/x": false, "https:": false, "https://me:pw@h/": false, "draft-07 section 2.6": false, "": false, visible("https://h/\x00"): true,
	} {
		assert.Equal(t, linked, newHTMLSource(text).Link != "", text)
	}
	doc := string(htmlOf(t, everywhere("x")))
	assert.Contains(t, doc, `<a href="https://example.com/spec?from=x" rel="noopener noreferrer">`)
	assert.NotContains(t, doc, `href="javascript`)
}

// The page of a comparison is as deaf to what a target says.
func TestNothingFromATargetBecomesMarkupInAComparison(t *testing.T) {
	t.Parallel()
	page := func(text string) []byte {
		var b bytes.Buffer
		require.NoError(t, CompareHTML(&b, Compare([]Report{everywhere(text), everywhere(text + "other"), passing().report()})))
		return b.Bytes()
	}
	plain := skeleton(elements(t, page("x"), false))
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := page(attack)
			requirePrintable(t, string(doc))
			nodes := elements(t, doc, false)
			requireSame(t, plain, skeleton(nodes))
			requireHarmless(t, nodes)
		})
	}
}
