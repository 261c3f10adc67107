package steps

import (
	"fmt"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// announce writes what will be run, before anything is sent.
func (e *engine) announce() {
	s := e.Started
	s.Inferred, s.Claims = e.allWeak(), reports.ProfileClaims(e.target.Profile)
	for _, w := range e.watch {
		s.Observers = append(s.Observers, w.observer.Name())
	}
	s.MaxRequests, s.MaxRecords = Costs(e.Cases, e.target, e.Abilities)
	e.emit("", reports.Event{Kind: reports.KindRunStarted, RunStarted: &s})
	for i := range e.Cases {
		e.emit(e.Cases[i].ID, reports.Event{Kind: reports.KindCasePlanned, CasePlanned: planned(e.Cases[i], e.missing[e.Cases[i].ID])})
	}
	for i := range e.known {
		e.emit("", reports.Event{Kind: reports.KindKnown, Known: &e.known[i]})
	}
}

func planned(c Case, missing string) *reports.CasePlanned {
	p := &reports.CasePlanned{
		ID: c.ID, Title: c.Title, Feature: c.Feature, URI: fmt.Sprintf("%s:%d", c.URI, c.Line), Level: c.Level,
		Source: c.Source, After: c.After, Missing: missing, MaxRequests: c.Requests, MaxRecords: c.Records,
		Shard: c.Shard, Elsewhere: c.Elsewhere,
	}
	for _, n := range c.Needs {
		p.Needs = append(p.Needs, string(n))
	}
	return p
}

// Costs gives the requests and records that the applicable cases cost at most, with the preflight. The requests of an
// observer that is polled until it settles are counted once per reading.
func Costs(cases []Case, t *targets.Target, a Abilities) (requests, records int) {
	requests, records = 9, 2 // the preflight
	for _, c := range cases {
		if !c.Elsewhere && Missing(c, t, a) == "" {
			requests += c.Requests
			records += c.Records
		}
	}
	return requests, min(records, t.Limits.Records)
}
