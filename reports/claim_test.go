package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

const draftPage = "https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#"

// saidOfReplays is a part of what a profile says.
var saidOfReplays = []ProfileClaim{
	{Claim: "replay.mode", Value: "identical", Level: targets.Should, Provenance: targets.Documented, Source: draftPage + "section-2.6"},
	{Claim: "replay.marker.name", Value: "Idempotent-Replayed", Level: targets.Should, Provenance: targets.Observed, Source: "tried by hand"},
	{Claim: "mismatch.mode", Value: "reject", Level: targets.Should, Provenance: targets.Documented, Source: draftPage + "section-2.7", Note: "method and path are not spoken of"},
	{Claim: "mismatch.status", Value: "422", Level: targets.Should, Provenance: targets.Documented, Source: draftPage + "section-2.7"},
	{Claim: "missing.status", Value: "400", Level: targets.Should, Provenance: targets.Documented},
	{Claim: "failures.validation.mode", Value: "undocumented", Provenance: targets.Unknown},
	{Claim: "expired.mode", Value: "undocumented", Provenance: targets.Unknown},
}

func (t *tape) claim(id, claim string, state Agreement, seen, exchange string) {
	t.emit(id, Event{Kind: KindClaim, Claim: &ClaimRead{Claim: claim, State: state, Seen: seen, Exchange: exchange}})
}

func TestClaims(t *testing.T) {
	t.Parallel()
	r := failing().report()
	got := map[string]string{}
	for _, row := range r.Claims {
		got[row.Claim] = string(row.State)
		for _, s := range row.Seen {
			got[row.Claim] += " | " + s.Text + " " + strings.Join(s.Cases, ",")
		}
	}
	assert.Equal(t, map[string]string{
		"replay.mode":              "held | replayed (201) K1 | no answer K4",
		"replay.marker.name":       "broken | nothing K1",
		"mismatch.mode":            "broken | replayed (200) K4",
		"mismatch.status":          "broken | 200 K4",
		"missing.status":           "not-tried",
		"failures.validation.mode": "undocumented | created (201) K4",
	}, got, "what is not documented and nobody looked at has no row")
	assert.Equal(t, "3 broken, 1 held, 1 only observed, 1 not tried", claimsSummary(r.Claims))
	assert.Empty(t, r.About.Claims, "they stand in the rows")
}

// A value that one case saw broken is broken, however many saw it held; what nobody documents is only observed.
func TestWorstSightOfAClaimStands(t *testing.T) {
	t.Parallel()
	run := newTape()
	run.startOn(saidOfReplays...)
	run.plan("K1", "K4")
	run.claim("K4", "replay.mode", NotTold, "no answer", "a")
	assert.Equal(t, NotTold, run.report().Claims[0].State)
	run.claim("K1", "replay.mode", Held, "replayed (201)", "a")
	run.claim("K1", "replay.mode", Held, "replayed (201)", "b")
	run.claim("K4", "replay.mode", Held, "replayed (201)", "a")
	run.claim("K4", "scope.operation.mode", Undocumented, "created (201)", "a")
	rows := run.report().Claims
	assert.Equal(t, []ClaimSeen{{"replayed (201)", Held, []string{"K1", "K4"}}, {"no answer", NotTold, []string{"K4"}}}, rows[0].Seen)
	last := rows[len(rows)-1]
	assert.Equal(t, "scope.operation.mode", last.Claim, "what the profile does not speak of comes last")
	assert.Equal(t, Undocumented, last.State)
	run.claim("K4", "replay.mode", Departed, "created (201)", "a")
	assert.Equal(t, Departed, run.report().Claims[0].State)
}

// A stream of an earlier version tells of no values: its reports are what they were.
func TestStreamWithoutClaims(t *testing.T) {
	t.Parallel()
	r := passing().report()
	assert.Nil(t, r.Claims)
	var doc, text bytes.Buffer
	require.NoError(t, HTML(&doc, r))
	require.NoError(t, Markdown(&text, r))
	assert.NotContains(t, doc.String(), `role="table"`)
	assert.NotContains(t, text.String(), "documents:")
}

func TestClaimsInHTML(t *testing.T) {
	t.Parallel()
	doc := string(htmlOf(t, failing().report()))
	head, cases, _ := strings.Cut(doc, `<main id="cases"`)
	assert.Contains(t, head, "What ietf-draft-07 documents <small class=\"bad\">3 broken, 1 held")
	assert.Contains(t, head, `<a href="#case-K4">K4</a>`)
	assert.Contains(t, head, `aria-label="documented: the source of mismatch.status"`)
	assert.Less(t, strings.Index(head, "mismatch.status"), strings.Index(head, "replay.mode"), "what is broken comes first")
	assert.Contains(t, head, `<caption>`)
	assert.Equal(t, 4, strings.Count(head, `<th scope="col"`))
	assert.Equal(t, 6, strings.Count(head, `<th scope="row"`))
	_, k4, _ := strings.Cut(cases, `<article id="case-K4"`)
	k4, _, _ = strings.Cut(k4, "</article>")
	assert.Contains(t, k4, "What the profile documents <small>4</small>")
	assert.Contains(t, k4, `<code>mismatch.status</code>`)
	assert.Contains(t, k4, `>revised</a>`, "the attempt that shows it is linked")
}

// Of very many cases the first are named, and the others can be unfolded.
func TestManyCasesOfOneClaim(t *testing.T) {
	t.Parallel()
	s := newHTMLSight(ClaimSeen{"409", Departed, []string{"a", "b", "c", "d", "e"}}, targets.Documented, []string{"a", "b", "c", "d", "e"})
	assert.Len(t, s.Cases, sightCases)
	assert.Len(t, s.More, 2)
	assert.Equal(t, "#case-e", "#"+s.More[1].Anchor)
	s = newHTMLSight(ClaimSeen{"409", Departed, []string{"a", "b", "c", "d"}}, targets.Inferred, []string{"a", "b", "c", "d"})
	assert.Len(t, s.Cases, 4)
	assert.Equal(t, htmlTones[Inconclusive], s.Tone, "what is only inferred fails no case")
}

func TestClaimsInMarkdown(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, Markdown(&out, failing().report()))
	assert.Contains(t, out.String(), "What ietf-draft-07 documents: 3 broken, 1 held, 1 only observed, 1 not tried.")
	assert.Contains(t, out.String(), "| mismatch.status | 422 (documented) | 200 | K4 |")
	out.Reset()
	r := failing().report()
	for range 500 {
		r.Claims = append(r.Claims, r.Claims[1])
	}
	require.NoError(t, MarkdownWithin(&out, r, 8<<10))
	assert.LessOrEqual(t, out.Len(), 8<<10)
}
