package reports

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// merger joins shards that belong together, in their order.
type merger struct {
	shards []*shard
	began  time.Time
	out    []Event
}

func (m *merger) merge() []Event {
	m.head()
	m.body()
	m.foot()
	return m.out
}

func (m *merger) add(at time.Time, e Event) {
	e.V, e.Run, e.Seq, e.At = Version, m.run(), len(m.out)+1, at
	m.out = append(m.out, e)
}

// run names the merged run after the runs of its shards.
func (m *merger) run() string {
	var runs []string
	for _, s := range m.shards {
		runs = append(runs, s.report.Run)
	}
	if more := len(runs) - 4; more > 0 {
		return strings.Join(runs[:4], "+") + fmt.Sprintf("+%d", more)
	}
	return strings.Join(runs, "+")
}

// head writes the run, its plan in the order of the plan, its known failures, and the worst preflight.
func (m *merger) head() {
	first := slices.MaxFunc(m.shards, func(a, b *shard) int { return len(a.plan) - len(b.plan) })
	about := m.shards[0].about
	about.Shard, about.MaxRequests, about.MaxRecords = "", 0, 0
	for _, s := range m.shards {
		about.Shards = append(about.Shards, s.about.Shard+" "+s.report.Run)
		about.MaxRequests += s.about.MaxRequests
		about.MaxRecords += s.about.MaxRecords
		about.Inferred = about.Inferred || s.about.Inferred
	}
	m.add(m.began, Event{Kind: KindRunStarted, RunStarted: &about})
	missing := m.missing()
	for _, p := range first.plan {
		p.Elsewhere, p.Missing = false, missing[p.ID]
		m.add(m.began, Event{Kind: KindCasePlanned, Case: p.ID, CasePlanned: &p})
	}
	for _, k := range first.known {
		m.add(m.began, Event{Kind: KindKnown, Known: &k})
	}
	if p := m.preflight(); p != nil {
		m.add(m.began, Event{Kind: KindPreflight, Preflight: p})
	}
}

// missing gives why cases are not applicable, by case: as a shard says that was to run it, where one was.
func (m *merger) missing() map[string]string {
	why, sure := map[string]string{}, map[string]bool{}
	for _, s := range m.shards {
		for _, p := range s.plan {
			if !sure[p.ID] {
				why[p.ID], sure[p.ID] = p.Missing, !p.Elsewhere
			}
		}
	}
	return why
}

// preflight gives the worst that a shard had; nil: none came to it.
func (m *merger) preflight() *Preflight {
	rank := func(p *Preflight) int {
		switch {
		case p == nil:
			return 0
		case p.Finding != nil:
			return 4
		case p.Stop:
			return 3
		case !p.Trusted:
			return 2
		}
		return 1
	}
	worst := slices.MaxFunc(m.shards, func(a, b *shard) int { return rank(a.report.Preflight) - rank(b.report.Preflight) })
	if worst.report.Preflight == nil {
		return nil
	}
	p := *worst.report.Preflight
	if p.Reason != "" {
		p.Reason = "shard " + worst.about.Shard + ": " + p.Reason
	}
	return &p
}

// body writes what happened in the cases, in the order of time, and every record.
func (m *merger) body() {
	from := m.sources()
	var all []Event
	for _, s := range m.shards {
		for _, e := range s.events {
			switch {
			case e.CasePlanned != nil:
			case e.Record != nil, e.Case != "" && from[e.Case] == s:
				e.Shard = s.about.Shard
				all = append(all, m.shifted(e, s))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Event) int { return a.At.Compare(b.At) })
	for _, e := range all {
		m.add(e.At, e)
	}
}

// sources says from which shard each case is taken: the one with the worst verdict, and of equals the one whose case it
// is.
func (m *merger) sources() map[string]*shard {
	from := map[string]*shard{}
	for _, s := range m.shards {
		for _, c := range s.report.Cases {
			old := from[c.ID]
			if old == nil || c.Verdict > old.verdicts[c.ID] || c.Verdict == old.verdicts[c.ID] && c.Shard == s.about.Shard {
				from[c.ID] = s
			}
		}
	}
	return from
}

// shifted gives an event whose times count from the beginning of the merged run.
func (m *merger) shifted(e Event, s *shard) Event {
	if e.Exchange == nil {
		return e
	}
	by := milliseconds(s.began.Sub(m.began))
	x := *e.Exchange
	x.Began, x.Ended = x.Began+by, x.Ended+by
	for _, at := range []**float64{&x.Wrote, &x.FirstByte} {
		if *at != nil {
			ms := **at + by
			*at = &ms
		}
	}
	e.Exchange = &x
	return e
}

// foot writes the end: the whole came to it only where all shards did.
func (m *merger) foot() {
	var end RunEnded
	var why []string
	at, next := m.began, 1
	for _, s := range m.shards {
		for ; next < s.index; next++ {
			why = append(why, fmt.Sprintf("shard %d/%d is missing", next, s.of))
		}
		next = s.index + 1
		if text := s.ended(); text != "" {
			why = append(why, text)
		}
		end.Removed += s.report.Removed
		end.Left += len(s.report.Left)
		if s.report.Ended.After(at) {
			at = s.report.Ended
		}
	}
	for ; next <= m.shards[0].of; next++ {
		why = append(why, fmt.Sprintf("shard %d/%d is missing", next, m.shards[0].of))
	}
	end.Interrupted = list(why)
	f := NewFolder()
	for _, e := range m.out {
		f.fold(e)
	}
	end.Exit = f.Closing(end).Outcome.Exit
	m.add(at, Event{Kind: KindRunEnded, RunEnded: &end})
}
