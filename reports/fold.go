package reports

import (
	"slices"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Folder turns the events of a run into its Report. It is a Sink; it reads no clock, and writes and changes nothing
// outside itself. It is not safe for concurrent use: a Stream hands it one event at a time.
type Folder struct {
	head    Report // everything but the cases, the records and what is derived from them
	cases   map[string]*openCase
	planned []*openCase // in the order of the plan
	strays  []*openCase // cases that events name and no plan does, in order of mention
	records ledger
	store   *store // of the evidence; nil: it is kept in memory
	claims  []ProfileClaim
}

// openCase is a case while its events come in.
type openCase struct {
	Case
	planned, started, ended bool
}

// NewFolder gives a Folder that has seen nothing.
func NewFolder() *Folder {
	return &Folder{head: Report{V: Version}, cases: map[string]*openCase{}}
}

// Fold gives the report of a whole stream.
func Fold(events []Event) Report {
	f := NewFolder()
	for _, e := range events {
		f.fold(e)
	}
	return f.Report()
}

// Event takes the next event. It never fails.
func (f *Folder) Event(e Event) error {
	f.fold(e)
	return nil
}

func (f *Folder) fold(e Event) {
	f.heed(e)
	switch {
	case e.RunStarted != nil:
		f.head.Started, f.head.About, f.claims = e.At, *e.RunStarted, e.RunStarted.Claims
		f.head.About.Claims = nil
	case e.Known != nil:
		f.head.Known = append(f.head.Known, KnownFailure{KnownEntry: *e.Known})
	case e.Preflight != nil:
		f.head.Preflight = e.Preflight
	case e.Record != nil:
		f.records.enter(e.Kind, *e.Record)
	case e.RunEnded != nil:
		f.head.Complete, f.head.Stopped = true, e.RunEnded.Interrupted
		f.head.Removed = e.RunEnded.Removed
	case e.CasePlanned != nil:
		f.plan(*e.CasePlanned)
	case e.Case != "":
		f.within(f.find(e.Case), e)
	}
}

// heed takes what every event says of the run.
func (f *Folder) heed(e Event) {
	if f.head.Run == "" {
		f.head.Run = e.Run
	}
	if e.At.After(f.head.Ended) {
		f.head.Ended = e.At
	}
}

// find gives the case of an address, also where the plan has not named it (yet): no event is lost, and what nobody
// planned binds like a must.
func (f *Folder) find(id string) *openCase {
	c := f.cases[id]
	if c == nil {
		c = &openCase{}
		c.ID, c.Level = id, targets.Must
		f.cases[id] = c
		f.strays = append(f.strays, c)
	}
	return c
}

func (f *Folder) plan(p CasePlanned) {
	c := f.find(p.ID)
	c.CasePlanned = p
	if !c.planned {
		c.planned = true
		f.planned = append(f.planned, c)
	}
}

func (c *openCase) fold(e Event, start time.Time) {
	switch {
	case e.Kind == KindCaseStarted:
		c.started, c.Started = true, &e.At
	case c.take(e, start):
	case e.CrashPoint != nil:
		c.Points = append(c.Points, *e.CrashPoint)
	case e.PayloadChange != nil:
		c.Changes = append(c.Changes, *e.PayloadChange)
	case e.Claim != nil:
		c.Claims = append(c.Claims, *e.Claim)
	case e.Finding != nil:
		c.Findings = append(c.Findings, *e.Finding)
	case e.Note != nil:
		c.Notes = append(c.Notes, *e.Note)
	case e.CaseEnded != nil:
		c.Ended = &e.At
		c.end(*e.CaseEnded)
	case e.Recount != nil:
		c.end(*e.Recount)
	}
}

// end takes a word on the outcome of the case. A lower verdict than the one that stands is not heard.
func (c *openCase) end(said CaseEnded) {
	stood, first := c.CaseEnded, !c.ended
	c.ended = true
	if !first && said.Verdict < stood.Verdict {
		return
	}
	c.CaseEnded = said
	if stood.Broken.Stricter(c.Broken) {
		c.Broken = stood.Broken
	}
	if c.Overlap == nil {
		c.Overlap = stood.Overlap
	}
	if c.Artifact == nil {
		c.Artifact = stood.Artifact
	}
	if c.Records == nil {
		c.Records = stood.Records
	}
}

// Report gives the run as far as its events tell it.
func (f *Folder) Report() Report {
	r := f.head
	r.Cases = []Case{}
	for _, c := range f.planned {
		if c.Elsewhere {
			continue
		}
		r.Cases = append(r.Cases, c.settled(r))
	}
	for _, c := range f.strays {
		if !c.planned {
			r.Cases = append(r.Cases, c.settled(r))
		}
	}
	for _, c := range r.Cases {
		r.Summary.add(c)
	}
	r.Claims = compareClaims(f.claims, r.Cases)
	r.Known = nil
	for _, k := range f.head.Known {
		r.Known = append(r.Known, k.settle(r))
	}
	r.Created, r.Left = f.records.created(), f.records.left()
	r.Removed = max(r.Removed, f.records.removed())
	r.Outcome = ExitStatus(r)
	return r
}

// Closing gives the report as it will be once the run ends with end: what an engine asks before it writes run-ended,
// which holds the exit status.
func (f *Folder) Closing(end RunEnded) Report {
	closed := *f
	closed.head.Complete, closed.head.Stopped, closed.head.Removed = true, end.Interrupted, end.Removed
	return closed.Report()
}

// settled gives the case with the verdict that its events add up to.
func (c *openCase) settled(r Report) Case {
	out := c.Case
	if c.stored != nil { // what comes later is not of this report
		seen := *c.stored
		out.stored = &seen
	}
	if !c.ended {
		out.Verdict, out.Reason = c.unended(r)
	} else if c.Missing != "" && out.Verdict == NotRun {
		out.Verdict, out.Reason = NotApplicable, c.Missing
	}
	// A finding is a proof: it stands even where the run was cut off before the case could say so.
	for _, finding := range c.Findings {
		if finding.Known != "" {
			continue
		}
		if out.Verdict != Fail {
			out.Verdict, out.Reason = Fail, finding.Message
		}
		if finding.Level.Stricter(out.Broken) {
			out.Broken = finding.Level
		}
	}
	// So does a point that fails, even in a case that was cut off before it could write a finding: a case is as bad as its
	// worst part. The level of such a proof is that of the case.
	if p := failedPoint(c.Points); p != nil {
		if out.Verdict != Fail {
			out.Verdict, out.Reason = Fail, pointReason(*p)
		}
		if level := binding(c.Level); !c.ended && !c.found(p.Finding) && level.Stricter(out.Broken) {
			out.Broken = level
		}
	}
	return out
}

// found reports whether the case has a finding of that kind.
func (c *openCase) found(kind FindingKind) bool {
	return slices.ContainsFunc(c.Findings, func(f Finding) bool { return f.Kind == kind })
}

// unended says what is to be thought of a case without an outcome.
func (c *openCase) unended(r Report) (Verdict, string) {
	why := cutOff(r)
	switch {
	case c.Missing != "":
		return NotApplicable, c.Missing
	case c.started && why != "":
		return Inconclusive, "cut off before its verdict: " + why
	case c.started:
		return Error, "it began and has no verdict: a fault of idemcheck"
	case why != "":
		return NotRun, why
	}
	return NotRun, "the run ended without it"
}

// cutOff says why the run did not get to its end; empty: it did.
func cutOff(r Report) string {
	switch {
	case r.Stopped != "":
		return r.Stopped
	case r.Preflight != nil && r.Preflight.Stop:
		return r.Preflight.Reason
	case !r.Complete:
		return "the run was interrupted"
	}
	return ""
}

func (s *Summary) add(c Case) {
	s.Cases++
	if isKnown(c) {
		s.Known++
	}
	switch c.Verdict {
	case Pass:
		s.Pass++
	case Fail:
		s.Fail++
	case Error:
		s.Error++
	case Inconclusive:
		s.Inconclusive++
	case NotApplicable:
		s.NotApplicable++
	case NotRun:
		s.NotRun++
	}
}

func caseReading(g targets.Reading, at, start time.Time) CaseReading {
	if g.At.IsZero() {
		g.At = at
	}
	// Wall clock times on both sides: a stream that is read back from a file has no other.
	return CaseReading{
		AtMS:     milliseconds(g.At.Round(0).Sub(start.Round(0))),
		Observer: g.Observer, Namespace: g.Namespace, Operation: g.Operation,
		Label: g.Label, Count: g.Count, IDs: g.IDs, Err: g.Err,
	}
}

// milliseconds gives d to the microsecond.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond).Microseconds()) / 1000
}
