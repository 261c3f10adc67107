package reports

import (
	"cmp"
	_ "embed" // the template
	"fmt"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

//go:embed html/claims.tmpl
var htmlClaimsTemplate string

// htmlClaims is what the profile documents beside what was seen, of the run or of one case. Its texts are visible.
type htmlClaims struct {
	Profile string
	Summary string
	Broken  bool
	Rows    []htmlClaim
}

// htmlClaim is one value of it.
type htmlClaim struct {
	Claim, Value      string
	Level, Note       string
	Word, Glyph, Tone string
	Known             string // its provenance
	Source            *htmlSource
	Seen              []htmlSight
}

// htmlSight is something that was seen of a value: in the run with the cases that saw it, in a case with the attempt.
type htmlSight struct {
	Text        string
	Tone        string
	Cases, More []htmlLink
}

// sightCases is how many cases are named of one sight before the others are folded.
const sightCases = 3

// newHTMLClaims gives the comparison of the run; nil where the stream does not tell of one.
func newHTMLClaims(r Report) *htmlClaims {
	if len(r.Claims) == 0 {
		return nil
	}
	h := &htmlClaims{Profile: cmp.Or(visible(r.About.Profile), "the profile"), Summary: claimsSummary(r.Claims)}
	said := visibleCopy(r.Claims)
	for i, row := range said {
		one := newHTMLClaim(row.ProfileClaim, row.State)
		for j, seen := range row.Seen {
			one.Seen = append(one.Seen, newHTMLSight(seen, row.Provenance, r.Claims[i].Seen[j].Cases))
		}
		h.Broken = h.Broken || row.State == Departed
		h.Rows = append(h.Rows, one)
	}
	slices.SortStableFunc(h.Rows, func(a, b htmlClaim) int { return brokenFirst(a) - brokenFirst(b) })
	return h
}

func brokenFirst(c htmlClaim) int {
	if c.Word == Departed.Words() {
		return 0
	}
	return 1
}

// newHTMLSight links the cases: the names are visible, and the anchors are made of what the cases are called.
func newHTMLSight(seen ClaimSeen, p targets.Provenance, ids []string) htmlSight {
	s := htmlSight{Text: clip(seen.Text, mostText), Tone: claimTone(seen.State, p)}
	for i, name := range seen.Cases {
		link := htmlLink{name, htmlAnchor(ids[i])}
		if i < sightCases || len(seen.Cases) == sightCases+1 { // one more is as short as to say so
			s.Cases = append(s.Cases, link)
		} else {
			s.More = append(s.More, link)
		}
	}
	return s
}

func newHTMLClaim(c ProfileClaim, state Agreement) htmlClaim {
	h := htmlClaim{
		Claim: c.Claim, Value: c.Value, Level: string(c.Level), Note: c.Note, Known: string(c.Provenance),
		Word: state.Words(), Glyph: claimGlyphs[state], Tone: claimTone(state, c.Provenance),
	}
	if c.Value == "" || c.Value == targets.ModeUndocumented {
		h.Value = "nothing"
	}
	if c.Source != "" {
		source := newHTMLSource(c.Source)
		h.Source = &source
	}
	return h
}

var claimGlyphs = map[Agreement]string{Held: htmlGlyphs[Pass], Departed: htmlGlyphs[Fail], NotTold: htmlGlyphs[Inconclusive],
	NotTried: htmlGlyphs[NotRun], Undocumented: htmlGlyphs[NotApplicable]}

// claimTone sets a broken value apart: only one that is documented fails a case.
func claimTone(state Agreement, p targets.Provenance) string {
	switch {
	case state == Departed && p == targets.Documented:
		return htmlTones[Fail]
	case state == Departed, state == NotTold:
		return htmlTones[Inconclusive]
	case state == Held:
		return htmlTones[Pass]
	}
	return htmlTones[NotApplicable]
}

// claimsSummary counts the values: "1 broken, 27 held, 3 not tried".
func claimsSummary(rows []ClaimRow) string {
	n := map[Agreement]int{}
	for _, r := range rows {
		n[r.State]++
	}
	var parts []string
	for _, a := range Agreements() {
		if n[a] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[a], a.Words()))
		}
	}
	return strings.Join(parts, ", ")
}

// saidBy finds what the profile says of a value.
func saidBy(r Report) map[string]ProfileClaim {
	said := map[string]ProfileClaim{}
	for _, row := range r.Claims {
		said[row.Claim] = row.ProfileClaim
	}
	return said
}

// newHTMLRead gives what one case saw of the values that it read, in its order; nil where it read none.
func newHTMLRead(raw Case, said map[string]ProfileClaim, exchanges []htmlExchange) *htmlClaims {
	if len(raw.Claims) == 0 {
		return nil
	}
	anchors := map[string]string{}
	for _, x := range exchanges {
		if anchors[x.Name] == "" {
			anchors[x.Name] = x.Anchor
		}
	}
	h := &htmlClaims{}
	for _, read := range raw.Claims[:min(len(raw.Claims), htmlOtherRows)] {
		claim, known := said[read.Claim]
		if !known {
			claim = ProfileClaim{Claim: read.Claim, Provenance: targets.Unknown}
		}
		read = visibleCopy(read)
		row := newHTMLClaim(visibleCopy(claim), read.State)
		sight := htmlSight{Text: clip(read.Seen, mostText)}
		if read.Exchange != "" {
			sight.Cases = []htmlLink{{strings.TrimPrefix(read.Part+": "+read.Exchange, ": "), anchors[read.Exchange]}}
		}
		row.Seen = []htmlSight{sight}
		h.Rows = append(h.Rows, row)
	}
	slices.SortStableFunc(h.Rows, func(a, b htmlClaim) int { return brokenFirst(a) - brokenFirst(b) })
	return h
}
