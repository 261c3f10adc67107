package reports

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"al.essio.dev/pkg/shellescape"
)

// htmlCase is one case as its part of the page shows it. Its texts are visible.
type htmlCase struct {
	Case
	Anchor                  string
	Verdict, Word           string
	Tone, Glyph             string
	Expected, Found, Reason string
	Differs                 bool // found is not what was expected
	Form                    htmlForm
	Sources                 []htmlSource
	Facts                   []htmlFact
	Findings                []htmlFinding
	Artifact                []htmlFact
	Records                 []htmlTally
	Overlap                 []htmlFact
	Arrivals                *htmlArrivals
	Crash                   *htmlCrash
	Compared                *htmlPayload
	Read                    *htmlClaims // what it saw of values of the profile
	Broken                  bool        // a step broke
	Timeline                *htmlTimeline
	Exchanges               []htmlExchange
	More                    int // exchanges that are not shown
	Readings                []htmlReading
	Curls                   []htmlCurl
	Again                   string
}

// htmlSource is a place that a claim comes from, with a link where it is one.
type htmlSource struct{ Text, Link string }

// htmlFinding is a finding, with the exchanges that show it.
type htmlFinding struct {
	Finding
	Level   string
	IDs     string
	ShownBy []htmlLink
	Profile *htmlSource // what the profile says, and where
}

type htmlLink struct{ Text, Anchor string }

// htmlTally is one count of records or side effects.
type htmlTally struct {
	Name, Expected, Found, IDs string
	Before                     int
	Differs                    bool
}

// newHTMLCase makes everything of raw visible, once and for all; only the bodies keep their lines.
func newHTMLCase(about RunStarted, raw Case, form htmlForm) htmlCase {
	c := visibleCopy(raw)
	c.Level = binding(c.Level)
	short := newShortener(idsOf(c))
	h := htmlCase{
		Case: c, Anchor: htmlAnchor(raw.ID), Verdict: c.Verdict.String(), Word: verdictWord(c, about.Strict),
		Tone: htmlTones[c.Verdict], Glyph: htmlGlyphs[c.Verdict], Reason: clip(reasonText(c), mostText), Form: form,
		Sources: htmlSources(c.Source), Facts: htmlOrigin(c), Again: htmlAgain(about, raw.ID),
	}
	expected, found := countsText(c.Records)
	h.Expected, h.Found = strings.TrimSuffix(expected, " expected"), strings.TrimSuffix(found, " found")
	if h.Verdict == Fail.String() && h.Word != "FAIL" {
		h.Tone = htmlTones[Inconclusive]
	}
	shown := htmlShown(c)
	h.Exchanges, h.More = htmlExchanges(raw, c, shown, h.Anchor, short, form), len(c.Exchanges)-len(shown)
	h.Findings = htmlFindings(c, h.Exchanges)
	h.Records, h.Differs = htmlTallies(c.Records)
	h.Artifact, h.Overlap = htmlArtifact(c.Artifact), htmlOverlap(c.Overlap)
	h.Crash, h.Compared = newHTMLCrash(raw, c, h.Anchor), newHTMLPayload(c)
	for _, s := range c.Steps {
		h.Broken = h.Broken || s.Err != ""
	}
	if form.Brief {
		return h
	}
	h.Arrivals = newHTMLArrivals(c.Overlap, h.Exchanges)
	h.Timeline = newHTMLTimeline(htmlDrawn(c, h.Exchanges), caseBegan(c))
	h.Readings, h.Curls = htmlReadings(c), htmlCurls(c)
	return h
}

// htmlAnchor gives the name of a case in links. It depends on the id alone, so that a link to a case holds for the next
// report too.
func htmlAnchor(id string) string { return "case-" + htmlName(id) }

// htmlName makes a plain word of an id. One that is none gets a part of its digest, which keeps it apart from others that
// read alike.
func htmlName(id string) string {
	plain := true
	var b strings.Builder
	for _, r := range id {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_' {
			b.WriteRune(r)
			continue
		}
		plain = false
		if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
			b.WriteByte('-')
		}
	}
	word := strings.Trim(b.String(), "-")
	if plain && word == id && id != "" {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return strings.TrimPrefix(word+"-", "-") + hex.EncodeToString(sum[:3])
}

func htmlSources(texts []string) []htmlSource {
	var out []htmlSource
	for _, s := range texts {
		out = append(out, newHTMLSource(s))
	}
	return out
}

// newHTMLSource links an address of the web, and nothing else.
func newHTMLSource(s string) htmlSource {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return htmlSource{Text: s}
	}
	return htmlSource{Text: s, Link: s}
}

func htmlOrigin(c Case) []htmlFact {
	return filled([]htmlFact{
		{Name: "Level", Value: string(c.Level)},
		{Name: "Feature", Value: c.Feature},
		{Name: "Written at", Value: c.URI, Code: true},
		{Name: "Needs", Value: strings.Join(c.Needs, ", ")},
		{Name: "Stands on", Value: c.After},
	})
}

func htmlFindings(c Case, exchanges []htmlExchange) []htmlFinding {
	anchors := map[string]string{}
	for _, x := range exchanges {
		if anchors[x.Name] == "" {
			anchors[x.Name] = x.Anchor
		}
	}
	var out []htmlFinding
	for _, f := range c.Findings {
		h := htmlFinding{Finding: f, Level: string(binding(f.Level)), IDs: shortener(longestID).join(f.IDs, 200)}
		for _, name := range f.Exchanges {
			h.ShownBy = append(h.ShownBy, htmlLink{name, anchors[name]})
		}
		if f.Question == QuestionAnswer && (f.Provenance != "" || f.Source != "") {
			source := newHTMLSource(f.Source)
			h.Profile = &source
		}
		out = append(out, h)
	}
	return out
}

func htmlTallies(tallies []Tally) (out []htmlTally, differs bool) {
	for _, t := range tallies {
		h := htmlTally{Name: t.Observer, Before: t.Before, Expected: t.Expected, Found: "could not be counted",
			IDs: shortener(longestID).join(t.IDs, 200)}
		for _, part := range [][2]string{{" of ", t.Operation}, {" in ", t.Namespace}} {
			if part[1] != "" {
				h.Name += part[0] + part[1]
			}
		}
		if t.SideEffect {
			h.Name += " (side effect)"
		}
		if t.Found != nil {
			h.Found = fmt.Sprint(*t.Found)
			h.Differs = plainNumber(t.Expected) && t.Expected != h.Found
		}
		if t.Inferred {
			h.Found += " (inferred)"
		}
		differs = differs || h.Differs && !t.SideEffect
		out = append(out, h)
	}
	return out, differs
}

func plainNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// htmlArtifact says what a case of identity is about.
func htmlArtifact(a *Artifact) []htmlFact {
	if a == nil {
		return nil
	}
	b := a.Bundle
	return filled([]htmlFact{
		{Name: "Environment", Value: b.Environment},
		{Name: "Tenant", Value: b.Tenant},
		{Name: "Source event", Value: b.Event},
		{Name: "Target record", Value: b.Record},
		{Name: "Operation", Value: b.Operation},
		{Name: "Payload revision", Value: a.Revision},
		{Name: "Payload sha256", Value: a.Digest, Code: true},
		{Name: "Key on the wire", Value: a.KeyRelationship},
		{Name: "Approval", Value: a.Approval},
		{Name: "Prior outcome", Value: a.Prior},
		{Name: "Permitted", Value: joinDispositions(a.Permitted)},
		{Name: "Observed", Value: joinDispositions(a.Observed)},
	})
}

// htmlOverlap says what the sender measured of sends that were meant to run at the same moment.
func htmlOverlap(o *Overlap) []htmlFact {
	if o == nil {
		return nil
	}
	facts := []htmlFact{
		{Name: "Sent together", Value: fmt.Sprintf("%s in each of %s", plural(o.Sends, "request", "requests"), plural(o.Rounds, "round", "rounds"))},
		{Name: "Overlapped", Value: fmt.Sprintf("%d of %d planned rounds", o.Overlapped, o.Planned)},
		{Name: "Raced", Value: fmt.Sprintf("%s left more records than are right", plural(o.Raced, "round", "rounds"))},
		{Name: "In progress", Value: plural(o.InProgress, "in-progress answer", "in-progress answers")},
		{Name: "Released by", Value: o.Technique + releaseText(*o)},
		{Name: "Send spread", Value: fmt.Sprintf("%.0f µs%s", o.SpreadUS, rttText(*o))},
	}
	if o.ResolvedUS > 0 && o.Raced == 0 { // a race that was met needs no estimate of what might have been missed
		facts = append(facts, htmlFact{Name: "Resolved", Value: fmt.Sprintf("these rounds would have found a window of %.0f µs with 99.9 %%", o.ResolvedUS)})
	}
	return facts
}

// htmlAgain gives the command that runs the case once more.
func htmlAgain(about RunStarted, id string) string {
	command := about.Command
	if command == "" {
		command = "idemcheck run"
		if about.TargetFile != "" {
			command += " " + shellescape.Quote(about.TargetFile)
		}
	}
	return visible(command + " --only " + shellescape.Quote(id))
}
