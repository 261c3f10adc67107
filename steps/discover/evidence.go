package discover

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// evidence is what the cases have shown.
type evidence struct {
	report   reports.Report
	strength Strength
	profile  *targets.Profile
	asked    map[string]int // by case: the number that a person saw
}

// stopped says why the cases could not be carried out; empty: they were.
func (e evidence) stopped() string {
	switch p := e.report.Preflight; {
	case e.report.Stopped != "":
		return e.report.Stopped
	case p != nil && (p.Stop || !p.Trusted):
		return p.Reason
	}
	return ""
}

// find gives a case; nil where it was not run.
func (e evidence) find(id string) *reports.Case {
	i := slices.IndexFunc(e.report.Cases, func(c reports.Case) bool { return c.ID == id })
	if i < 0 || e.report.Cases[i].Verdict == reports.NotApplicable || e.report.Cases[i].Verdict == reports.NotRun {
		return nil
	}
	return &e.report.Cases[i]
}

// burst gives the case of many sends at once.
func (e evidence) burst() *reports.Case {
	for _, lagging := range []bool{false, true} {
		if c := e.find(burstCase(lagging)); c != nil {
			return c
		}
	}
	return nil
}

// mismatch gives the case of another payload: with a look at the record if there was a way to read it.
func (e evidence) mismatch() *reports.Case {
	if c := e.find(caseMismatch); c != nil {
		return c
	}
	return e.find(caseConflict)
}

// exchange gives the last attempt of a name.
func exchange(c *reports.Case, name string) *reports.Exchange {
	if c == nil {
		return nil
	}
	for i := len(c.Exchanges) - 1; i >= 0; i-- {
		if x := &c.Exchanges[i]; x.Name == name && x.Purpose == reports.PurposeAttempt {
			return x
		}
	}
	return nil
}

func has(c *reports.Case, kinds ...reports.FindingKind) bool {
	return c != nil && slices.ContainsFunc(c.Findings, func(f reports.Finding) bool { return slices.Contains(kinds, f.Kind) })
}

// records is how many records a case left: what a person saw, else the last count; false where nobody knows.
func (e evidence) records(c *reports.Case) (int, bool) {
	if c == nil {
		return 0, false
	}
	if e.strength == Asked {
		n, told := e.asked[c.ID]
		return n, told
	}
	for _, t := range c.Records {
		if !t.SideEffect && t.Found != nil {
			return *t.Found, true
		}
	}
	return 0, false
}

// conclude draws the verdict.
func (e evidence) conclude(r *Result) {
	if why := e.stopped(); why != "" {
		r.Verdict, r.Why = CouldNotTell, why
		return
	}
	replay := e.find(caseReplay)
	n, told := e.records(replay)
	switch {
	case !told || n == 0:
		r.Verdict, r.Why = CouldNotTell, "the records of a request that was sent twice could not be counted"+because(replay)
		return
	case n > 1:
		r.Verdict, r.Why = Ignored, fmt.Sprintf("the same request under the same key made %d records", n)
		r.Evidence = e.lines()
		return
	}
	var t trial
	e.tryReplay(&t, replay)
	collapsed := e.tryControl(&t)
	created := e.tryMismatch(&t)
	e.tryBurst(&t)
	e.tryLost(&t)
	r.Missing, r.Untold, r.Evidence = t.missing, t.untold, e.lines()
	switch {
	case collapsed && created:
		r.Verdict, r.Why = Ignored, "the key makes no difference: equal payloads give one record under two keys, and another payload makes a second record under one"
		r.Missing = nil
	case len(t.missing) > 0:
		r.Verdict, r.Why = Partly, "the same request under the same key made one record, but not everything that a key promises holds"
	case len(t.untold) > 0:
		r.Verdict, r.Why = CouldNotTell, "the same request under the same key made one record, but "+t.untold[0]
	default:
		r.Verdict, r.Why = Honoured, "one record for one key, whatever was sent under it; two records for two keys"
	}
}

// trial gathers what is missing and what could not be told.
type trial struct{ missing, untold []string }

func (t *trial) lacks(format string, args ...any) {
	t.missing = append(t.missing, fmt.Sprintf(format, args...))
}
func (t *trial) open(format string, args ...any) {
	t.untold = append(t.untold, fmt.Sprintf(format, args...))
}

func because(c *reports.Case) string {
	if c == nil || c.Reason == "" {
		return ""
	}
	return ": " + printable(c.Reason, 300)
}

func (e evidence) tryReplay(t *trial, c *reports.Case) {
	first, again := exchange(c, "first"), exchange(c, "again")
	if first == nil || again == nil {
		return
	}
	switch {
	case !success(again):
		t.lacks("the first answer: a repeat is answered %s, so that a client whose answer was lost has to look its record up", statusOf(again))
	case again.ID != first.ID:
		t.lacks("the first answer: a repeat names %s, though no second record exists", printable(orDefault(again.ID, "no record"), 60))
	}
}

// tryControl: two keys mean two records, also where the payload is the same. It reports true for a vendor that makes
// one: a filter of equal contents passes for a key that is honoured.
func (e evidence) tryControl(t *trial) (collapsed bool) {
	c := e.find(caseControl)
	switch n, told := e.records(c); {
	case !told:
		t.open("it is not known whether a second key makes a second record%s", because(c))
	case n < 2:
		t.lacks("different keys: an equal payload under another key made no second record, so the vendor drops equal contents, and a real second order would be lost")
		return true
	}
	return false
}

// tryMismatch: another payload under a used key must leave the record alone. It reports true where it made a record.
func (e evidence) tryMismatch(t *trial) (created bool) {
	c := e.mismatch()
	revised := exchange(c, "revised")
	n, told := e.records(c)
	switch {
	case c == nil || revised == nil || !told:
		t.open("it is not known what another payload under a used key does%s", because(c))
	case n > 1:
		t.lacks("payload comparison: another payload under a used key made a second record")
		return true
	case has(c, reports.Overwritten):
		t.lacks("payload comparison: another payload under a used key changed the first record")
	case success(revised) && !e.documented(targets.ModeReplayFirst):
		t.lacks("payload comparison: another payload under a used key was answered %s, as if it had been carried out", statusOf(revised))
	case e.strength == Counted && c.ID == caseConflict:
		t.open("the record could not be read back, so it is not known whether another payload under a used key changed it")
	case c.Verdict == reports.Inconclusive || c.Verdict == reports.Error:
		t.open("it is not known what another payload under a used key does%s", because(c))
	}
	return false
}

func (e evidence) documented(mode string) bool {
	return e.profile != nil && e.profile.Mismatch.Has(mode)
}

func (e evidence) tryBurst(t *trial) {
	c := e.burst()
	switch {
	case c == nil || c.Overlap == nil:
		t.open("two sends at the same moment could not be tried")
	case c.Overlap.Raced > 0 || has(c, reports.Duplicate) || e.tooMany(c):
		t.lacks("concurrency: %d sends at the same moment under one key made more than one record", c.Overlap.Sends)
	case e.strength == Asked && !e.answered(c.ID):
		t.open("it is not known how many records the sends at the same moment made")
	case !c.Overlap.Overlapping:
		t.open("no %d rounds came about in which two sends were with the vendor at the same time (it was %d)", c.Overlap.Planned, c.Overlap.Overlapped)
	case c.Verdict != reports.Pass:
		t.open("it is not known what sends at the same moment do%s", because(c))
	}
}

// tooMany holds what a person saw of all rounds against one record for each.
func (e evidence) tooMany(c *reports.Case) bool {
	n, told := e.asked[c.ID]
	return told && n > c.Overlap.Rounds
}

func (e evidence) answered(id string) bool {
	_, told := e.asked[id]
	return told
}

func (e evidence) tryLost(t *trial) {
	if c := e.find(caseLost); has(c, reports.Duplicate, reports.KeyIgnored) {
		t.lacks("retries: the request that was sent again after its answer was lost made a second record")
	}
	if c := e.find(caseOpen); has(c, reports.Duplicate) && !has(e.burst(), reports.Duplicate) {
		t.lacks("concurrency: a second send while the first was still on its way made a second record")
	}
}

// lines say what was seen, a line for each question.
func (e evidence) lines() []string {
	var out []string
	add := func(what string, c *reports.Case, names ...string) {
		if c == nil {
			return
		}
		parts := []string{}
		for _, name := range names {
			if x := exchange(c, name); x != nil {
				parts = append(parts, strings.TrimSpace(statusOf(x)+" "+printable(x.ID, 40)))
			}
		}
		out = append(out, fmt.Sprintf("%s: %s%s", what, strings.Join(parts, ", then "), e.countText(c)))
	}
	add("the same request, the same key", e.find(caseReplay), "first", "again")
	add("the same payload, another key", e.find(caseControl), "second order")
	add("another payload, the same key", e.mismatch(), "revised")
	if c := e.burst(); c != nil && c.Overlap != nil {
		out = append(out, fmt.Sprintf("%d sends at the same moment: %d of %d rounds overlapped, %d left too many records",
			c.Overlap.Sends, c.Overlap.Overlapped, c.Overlap.Rounds, c.Overlap.Raced))
	}
	add("sent again after the answer was lost", e.find(caseLost), "retry")
	return out
}

func (e evidence) countText(c *reports.Case) string {
	n, told := e.records(c)
	switch {
	case !told:
		return "; not counted"
	case n == 1:
		return "; 1 record"
	}
	return fmt.Sprintf("; %d records", n)
}

func success(x *reports.Exchange) bool { return x.Status >= 200 && x.Status < 300 }

func statusOf(x *reports.Exchange) string {
	if x.Status == 0 {
		return "no answer"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", x.Status, http.StatusText(x.Status)))
}

// sameBody compares the bodies of two exchanges as JSON values.
func sameBody(a, b reports.Text) bool {
	if a.SHA256 == b.SHA256 && a.Size == b.Size {
		return true
	}
	if a.Cut || b.Cut {
		return false
	}
	_, _, same := judge.Compare([]byte(a.Text), []byte(b.Text))
	return same
}
