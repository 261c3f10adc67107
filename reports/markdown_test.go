package reports

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	ciGoldens(t, Markdown, "markdown-%s.golden.md")
}

func TestMarkdownText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain – ünï, 1 of 2": "plain – ünï, 1 of 2",
		"a|b":                 "a&#124;b",
		"<b>&amp;</b>":        "&lt;b&gt;&amp;amp;&lt;/b&gt;",
		"`a` *b* _c_ ~d~":     "&#96;a&#96; &#42;b&#42; &#95;c&#95; &#126;d&#126;",
		`a\|b`:                "a&#92;&#124;b",
		"@you a@b.c":          "@&#8203;you a@&#8203;b.c",
		"#12 # a#b":           "#&#8203;12 # a#b",
		"GH-1 gh-x":           "GH-&#8203;1 gh-x",
		"https://a.b WWW.a.b": "https:&#8203;//a.b WWW.&#8203;a.b",
		"[a](b) ![c](d)":      "&#91;a&#93;(b) !&#91;c&#93;(d)",
		"$x$":                 "<span>$</span>x<span>$</span>",
		"a\n# b":              "a&#92;n# b",
	} {
		assert.Equal(t, want, markdownText(in, 1000), in)
	}
	assert.Equal(t, "a…", markdownText("a|bcdef", 9))
}

func TestFenced(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "```sh\na\n```\n", fenced("sh", "a\n"))
	assert.Equal(t, "````\na ``` b ` c\n````\n", fenced("", "a ``` b ` c"))
	assert.Equal(t, "```\n``\n```\n", fenced("", "``"))
}

var detailsTag = regexp.MustCompile(`<(/?)(details|summary|b|span)>`)

// readMarkdown checks what is not in a code block: the only tags are ours, and they are closed.
func readMarkdown(t *testing.T, doc string) {
	t.Helper()
	requirePrintable(t, doc)
	fence, open, columns := "", []string{}, 0
	for line := range strings.Lines(doc) {
		line = strings.TrimSuffix(line, "\n")
		if ticks := len(line) - len(strings.TrimLeft(line, "`")); ticks > 2 && fence == "" {
			fence = line[:ticks]
			continue
		}
		if fence != "" {
			if line == fence {
				fence = ""
				continue
			}
			require.False(t, strings.HasPrefix(line, fence+"`"), "a longer fence inside")
			continue
		}
		for _, tag := range detailsTag.FindAllStringSubmatch(line, -1) {
			if tag[1] == "" {
				open = append(open, tag[2])
				continue
			}
			require.NotEmpty(t, open, line)
			require.Equal(t, open[len(open)-1], tag[2], line)
			open = open[:len(open)-1]
		}
		rest := detailsTag.ReplaceAllString(line, "")
		require.NotContains(t, rest, "<")
		require.NotContains(t, rest, "`")
		require.NotContains(t, rest, "](")
		require.NotRegexp(t, `@[A-Za-z0-9]|#[0-9]|://|(?i:www\.[^\x{200b}]|gh-[0-9])`, html.UnescapeString(rest))
		switch bars := strings.Count(line, "|"); {
		case !strings.HasPrefix(line, "|"):
			columns = 0
		case columns == 0:
			columns = bars
			require.Contains(t, []int{5, 6, 9}, bars, "the claims, the cases, the crash points: %s", line)
		default:
			require.Equal(t, columns, bars, line)
		}
	}
	require.Empty(t, fence)
	require.Empty(t, open)
}

func TestMarkdownIsClosed(t *testing.T) {
	t.Parallel()
	for _, r := range ciRuns() {
		readMarkdown(t, string(written(t, Markdown, r)))
	}
	readMarkdown(t, string(written(t, Markdown, reportOf(markup))))
	readMarkdown(t, string(written(t, Markdown, reportOf(strings.Repeat("`", 40)))))
}

// manyCases is a report of n cases with five exchanges each, as many of each verdict.
func manyCases(n int, text string) Report {
	r := Report{V: Version, Complete: true, Preflight: &Preflight{Trusted: true}, Cases: []Case{}}
	for i := range n {
		v := Verdicts()[i%len(Verdicts())]
		c := outcomeCase(fmt.Sprintf("case-%d%s", i, text), targets.Must, v, "")
		c.Title, c.Feature, c.Reason, c.Records = "title "+text, fmt.Sprint("Feature ", i%20), "reason "+text, []Tally{tally("1", 2, text)}
		if v == Fail {
			c.Broken = targets.Must
			c.Findings = []Finding{{Kind: Duplicate, Level: targets.Must, Message: "message " + text, IDs: []string{text}, Exchanges: []string{"send 1"}}}
		}
		for j := range 5 {
			c.Exchanges = append(c.Exchanges, Exchange{Name: fmt.Sprintf("send %d", j), Purpose: PurposeAttempt, Method: "POST", URL: "http://h/" + text,
				Status: 201, ID: text, Content: Text{Text: text}, Curl: "curl " + visible(text)})
		}
		c.Notes = []Note{{Warning: true, Text: text}}
		r.Cases = append(r.Cases, c)
		r.Summary.add(c)
		r.Left = append(r.Left, Record{ID: text, Case: c.ID, Why: text})
	}
	r.Outcome = ExitStatus(r)
	return r
}

func TestMarkdownStaysWithinItsBudget(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("$|@a`<\x1b", 800)
	for _, r := range []Report{manyCases(10_000, ""), manyCases(2_000, markup), manyCases(40, long), reportOf(long)} {
		for _, budget := range []int{0, 10_000, MarkdownBudget, 900_000} {
			var out bytes.Buffer
			require.NoError(t, MarkdownWithin(&out, r, budget))
			require.LessOrEqual(t, out.Len(), max(budget, leastMarkdown))
			readMarkdown(t, out.String())
			require.Contains(t, out.String(), "exit 1:")
		}
	}
	text := string(written(t, Markdown, manyCases(10_000, "")))
	assert.Contains(t, text, "more cases that did not pass are left out here; the JSON report has everything.")
	assert.Contains(t, text, "more passed cases are left out here")
	assert.NotContains(t, text[:len(text)/4], "| ERROR |", "failures come first")
}

func TestMarkdownDoesNotChangeTheReport(t *testing.T) {
	t.Parallel()
	r := reportOf(markup)
	before := written(t, JSON, r)
	written(t, Markdown, r)
	written(t, JUnit, r)
	written(t, TAP, r)
	written(t, Annotations, r)
	require.Equal(t, string(before), string(written(t, JSON, r)))
}

func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{"", "K1", hostile, markup, "```", "\\|", "@a", "www.a", "</details>", "&#64;a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell := markdownText(text, 1<<20)
		require.NotRegexp(t, "[|`\\[\\]*_~\\\\\n]", cell)
		require.LessOrEqual(t, len(markdownText(text, 100)), 100)
		doc := string(written(t, Markdown, reportOf(text)))
		require.LessOrEqual(t, len(doc), MarkdownBudget)
		readMarkdown(t, doc)
	})
}
