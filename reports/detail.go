package reports

import (
	"errors"
	"fmt"
	"strings"

	"al.essio.dev/pkg/shellescape"
)

const (
	labelColumn = 15 // the width of the labels in a case's detail
	idsAtMost   = 12 // ids listed of one finding
	longestID   = 80 // characters of an id that are shown
	curlsAtMost = 6  // different commands shown of one case
)

// details writes what did not pass: what decides the exit status first, then further failures, then errors, then what
// could not be told.
func (p *page) details() {
	for _, group := range []struct {
		want  func(Case) bool
		write func(Case)
	}{
		{func(c Case) bool { return c.Verdict == Fail && p.word(c) == "FAIL" }, p.detail},
		{func(c Case) bool { return c.Verdict == Fail && p.word(c) != "FAIL" }, p.detail},
		{func(c Case) bool { return c.Verdict == Error }, p.detail},
		{func(c Case) bool { return c.Verdict == Inconclusive }, p.doubt},
		{func(c Case) bool { return c.Verdict == Pass && p.o.Verbose }, p.detail},
	} {
		for _, c := range p.r.Cases {
			if group.want(c) {
				group.write(p.whole(c))
			}
		}
	}
}

// whole gives a case with all of its evidence, as far as that can be read back.
func (p *page) whole(c Case) Case {
	if c.stored == nil {
		return c
	}
	c, err := c.whole()
	p.err = errors.Join(p.err, err)
	return visibleCopy(c)
}

func (p *page) word(c Case) string { return verdictWord(c, p.r.About.Strict) }

// evidence writes why a case came to its verdict: findings, steps, notes, and the tables.
func (p *page) evidence(c Case) {
	p.caseHead(c)
	if c.Verdict != Fail && c.Reason != "" {
		p.para(2, "", 0, c.Reason)
	}
	for _, f := range c.Findings {
		p.gap()
		p.finding(f)
	}
	p.gap()
	p.steps(c)
	p.notes(c)
	p.overlap(c)
	p.crash(c)
	p.payload(c)
}

// detail writes everything that is known of one case.
func (p *page) detail(c Case) {
	short := newShortener(idsOf(c))
	p.evidence(c)
	if c.Artifact != nil {
		p.gap()
		p.artifact(*c.Artifact, short)
	} else {
		for i, t := range c.Records {
			p.para(2, labelOnce("records", i), labelColumn, tallyText(t, short))
		}
	}
	p.gap()
	p.timeline(c, short)
	if c.Verdict != Pass {
		p.gap()
		p.reproduction(c)
		p.again(c)
	}
}

// doubt writes an inconclusive case, where there is more to say than its line in the table does.
func (p *page) doubt(c Case) {
	broken := false
	for _, s := range c.Steps {
		broken = broken || s.Err != ""
	}
	if !broken && len(c.Points) == 0 && !p.o.Verbose {
		return
	}
	p.caseHead(c)
	p.para(2, "", 0, c.Reason)
	p.steps(c)
	p.crash(c)
	p.payload(c)
	if p.o.Verbose {
		p.gap()
		p.timeline(c, newShortener(idsOf(c)))
	}
	p.again(c)
}

func (p *page) caseHead(c Case) {
	p.gap()
	p.line("%s  %s", p.in(verdictColor(c, p.r.About.Strict), p.word(c)), p.in(sgrBold, c.ID))
	if c.Title != "" && c.Title != c.ID {
		p.para(2, "", 0, c.Title)
	}
	origin := []string{}
	for _, s := range append([]string{string(c.Level), c.URI}, c.Source...) {
		if s != "" {
			origin = append(origin, s)
		}
	}
	for _, l := range flow(origin, " · ", p.o.Width-2) {
		p.line("  %s", p.in(sgrDim, l))
	}
}

func (p *page) finding(f Finding) {
	level := string(f.Level)
	if f.Known != "" {
		level = "known: " + f.Known
	}
	p.para(2, "", 0, fmt.Sprintf("%s (%s): %s", f.Kind, level, f.Message))
	if f.Expected != "" {
		p.para(4, "expected", labelColumn-2, f.Expected)
	}
	if f.Found != "" {
		p.para(4, "found", labelColumn-2, f.Found)
	}
	if len(f.IDs) > 0 {
		p.para(4, "ids", labelColumn-2, shortener(longestID).join(f.IDs, idsAtMost))
	}
	if len(f.Exchanges) > 0 {
		p.para(4, "shown by", labelColumn-2, strings.Join(f.Exchanges, " · "))
	}
	if source := strings.Trim(string(f.Provenance)+", "+f.Source, ", "); source != "" && f.Question == QuestionAnswer {
		p.para(4, "by profile", labelColumn-2, source)
	}
}

// steps shows the steps that broke; all of them where everything is asked for.
func (p *page) steps(c Case) {
	for _, s := range c.Steps {
		switch {
		case s.Err != "":
			p.para(2, "broken step", labelColumn, s.Text+": "+s.Err)
		case p.o.Verbose:
			p.para(2, "step", labelColumn, s.Text)
		}
	}
}

// notes shows the observations. Warnings have a list of their own at the end.
func (p *page) notes(c Case) {
	for _, n := range c.Notes {
		if !n.Warning {
			p.para(2, "seen", labelColumn, n.Text)
		}
	}
}

// artifact writes what a case of identity is about, beside its exchanges.
func (p *page) artifact(a Artifact, short shortener) {
	b := a.Bundle
	for _, row := range [][2]string{
		{"bundle", fmt.Sprintf("%s / %s / event %s / record %s / %s", b.Environment, b.Tenant, b.Event, b.Record, b.Operation)},
		{"payload", strings.TrimSpace("revision " + a.Revision + digestText(a.Digest))},
		{"key", a.KeyRelationship},
		{"approval", a.Approval},
		{"prior outcome", a.Prior},
		{"permitted", joinDispositions(a.Permitted)},
		{"observed", joinDispositions(a.Observed)},
	} {
		p.para(2, row[0], labelColumn, row[1])
	}
	for i, t := range a.Records {
		p.para(2, labelOnce("records", i), labelColumn, tallyText(t, short))
	}
}

// reproduction gives the commands that send by hand what the findings stand on, or everything where they do not say.
// Attempts that look the same share one.
func (p *page) reproduction(c Case) {
	var lines []string
	names := map[string][]string{}
	proof := proofOf(c)
	for _, x := range c.Exchanges {
		if x.Purpose != PurposeAttempt || x.Curl == "" || len(proof.names) > 0 && !proof.covers(x) {
			continue
		}
		if names[x.Curl] == nil {
			lines = append(lines, x.Curl)
		}
		name := x.Name
		if x.Fault != "" {
			name += " (" + x.Fault + ")"
		}
		names[x.Curl] = append(names[x.Curl], name)
	}
	if len(lines) == 0 {
		return
	}
	p.line("  %s", p.in(sgrDim, "by hand"))
	for i, l := range lines {
		if i == curlsAtMost && !p.o.Verbose {
			p.line("    # and %d more (the JSON report has them all)", len(lines)-i)
			break
		}
		p.line("    # %s", clip(strings.Join(names[l], " · "), p.o.Width-6))
		p.line("    %s", l)
	}
	p.gap()
}

// again gives the command that runs the case once more. It is not broken, so that it can be copied.
func (p *page) again(c Case) {
	command := p.r.About.Command
	if command == "" {
		command = "idemcheck run"
		if file := p.r.About.TargetFile; file != "" {
			command += " " + shellescape.Quote(file)
		}
	}
	p.line("  %s%s --only %s", p.in(sgrDim, pad("run again", labelColumn)), command, shellescape.Quote(c.ID))
}

// idsOf lists every id and key that the detail of a case shows.
func idsOf(c Case) []string {
	var ids []string
	for _, x := range c.Exchanges {
		ids = append(ids, x.ID, x.Key)
	}
	for _, g := range c.Readings {
		ids = append(ids, g.IDs...)
	}
	for _, t := range c.Records {
		ids = append(ids, t.IDs...)
	}
	if c.Artifact != nil {
		for _, t := range c.Artifact.Records {
			ids = append(ids, t.IDs...)
		}
	}
	return ids
}

func labelOnce(label string, i int) string {
	if i > 0 {
		return ""
	}
	return label
}

func digestText(digest string) string {
	if digest == "" {
		return ""
	}
	return ", sha256 " + shortener(12).short(digest)
}

func joinDispositions(ds []Disposition) string {
	if len(ds) == 0 {
		return "none"
	}
	var out []string
	for _, d := range ds {
		out = append(out, string(d))
	}
	return strings.Join(out, ", ")
}
