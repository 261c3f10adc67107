package steps

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// comparison is one part of the comparison of payloads: one change in what is sent under a used key.
type comparison struct {
	part   string // its address within the case: "note", "spacing"
	change string // in words
	vary   string // the variation that send knows
	// expect is what the change amounts to; empty where neither JSON nor the target file says whether it matters, so that
	// what comes of it is only observed.
	expect judge.Situation
}

// comparisons lists the changes that an operation's request allows: each member of its body, the ways to spell it, its
// query and its path. The method is not varied: PUT on a collection may replace all of it. What the profile documents of
// the parts that are compared goes before what the target file calls material.
func comparisons(op targets.Operation, c targets.Clause) []comparison {
	list := memberChanges(op)
	for _, s := range []struct {
		spelling targets.Spelling
		part     string
		change   string
		expect   judge.Situation
	}{
		{targets.OtherOrder, "order of members", "the members in reverse order", judge.Replay},
		{targets.Spaced, "spacing", "white space between the tokens", judge.Replay},
		{targets.Escaped, "unicode escapes", `the first character of each text as \u0041`, judge.Replay},
		{targets.WithPoint, "1.0", "whole numbers written as 1.0", ""},
		{targets.WithExponent, "1e0", "whole numbers written as 1e0", ""},
		{targets.OtherSequence, "array order", "the items of each list in reverse order", ""},
	} {
		if op.Body.Spells(s.spelling) {
			list = append(list, comparison{s.part, s.change, string(s.spelling), s.expect})
		}
	}
	list = append(list, addressChanges(op)...)
	if c.Judged() && len(c.Compares) > 0 {
		for i, one := range list {
			list[i].expect = byComparedParts(one, c.Compares)
		}
	}
	return list
}

// byComparedParts gives what a change amounts to where the compared parts of a request are documented. The parameters of a
// query interface may travel in a body as well, and what the target file says nothing of may be refused for other reasons.
func byComparedParts(change comparison, parts []string) judge.Situation {
	kind, arg, _ := strings.Cut(change.vary, ":")
	part := map[string]string{"changed": "body", "text": "body", "query": "query"}[kind]
	if kind == "changed" && slices.Contains(parts, "/"+strings.TrimPrefix(arg, "/")) {
		return judge.Mismatch
	}
	if part == "" || change.expect == "" || slices.Contains(parts, part) || part == "body" && slices.Contains(parts, "query") {
		return change.expect
	}
	return judge.Replay
}

// memberChanges changes the members of a body one at a time: first those that the target file calls material, by its
// names for them, then the others; then one is added and the last one left out. A plain text is one member.
func memberChanges(op targets.Operation) []comparison {
	if op.Body.IsText() {
		return []comparison{{"body", "a word behind the text", "text", judge.Mismatch}}
	}
	var list []comparison
	known := map[string]bool{}
	for _, m := range op.Material {
		if !strings.HasPrefix(m, "?") {
			list = append(list, comparison{m, m + " changed", "changed:" + m, judge.Mismatch})
			top, _, _ := strings.Cut(strings.TrimPrefix(m, "/"), "/")
			known[m], known[top] = true, true
		}
	}
	members := op.Body.Members()
	for _, m := range members {
		if !known[m] {
			list = append(list, comparison{m, m + " changed", "changed:" + m, ""})
		}
	}
	if len(members) == 0 {
		return list
	}
	list = append(list, comparison{"member added", "the member " + addedMember + " added", "added", ""})
	return append(list, removal(op)...)
}

// removal leaves the last member out that does not hold the marker: without that a record could not be found again.
func removal(op targets.Operation) []comparison {
	for _, m := range slices.Backward(op.Body.Members()) {
		if op.Body.MemberMentions(m, "marker") {
			continue
		}
		var expect judge.Situation
		if slices.Contains(op.Material, m) {
			expect = judge.Mismatch
		}
		return []comparison{{"member removed", m + " left out", "removed:" + m, expect}}
	}
	return nil
}

// addressChanges changes what stands in the request line: a query that the target file calls material, one that nobody
// knows, and a slash at the end of the path.
func addressChanges(op targets.Operation) []comparison {
	var list []comparison
	for _, m := range op.Material {
		if query, ok := strings.CutPrefix(m, "?"); ok {
			list = append(list, comparison{"query " + query, query + " added to the query", "query:" + query, judge.Mismatch})
		}
	}
	return append(list, comparison{"query", addedMember + "=1 added to the query", "query:" + addedMember + "=1", ""},
		comparison{"path", "a slash at the end of the path", "slash:", ""})
}

// compareArgs are the arguments of the verb compare.
type compareArgs struct {
	First string `arg:"first" doc:"the attempt whose key and payload the changes are held against; default: baseline"`
}

// comparePayloads sends the operation under a used key once for each change, and judges what the change amounts to. One
// key serves all: whatever a target does with a changed request, the first one stands under the key.
func (w *world) comparePayloads(ctx context.Context, a compareArgs) error {
	first, err := w.find(pick(a.First, "baseline"))
	if err != nil {
		return err
	}
	list, err := w.chosen(comparisons(mainOperation(w.target), w.target.Profile.Mismatch))
	if err != nil {
		return err
	}
	var rows []compared
	for _, c := range list {
		row, err := w.compare(ctx, c, first)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	for _, text := range told(rows) {
		w.note(false, "%s", text)
	}
	return nil
}

// chosen keeps the parts that are selected.
func (w *world) chosen(all []comparison) ([]comparison, error) {
	list := slices.DeleteFunc(slices.Clone(all), func(c comparison) bool {
		return len(w.c.Parts) > 0 && !anyMatches(w.c.Parts, c.part) || anyMatches(w.c.NotParts, c.part)
	})
	if len(list) == 0 {
		var names []string
		for _, c := range all {
			names = append(names, c.part)
		}
		return nil, unclear("there is no part called %s; there are: %s", strings.Join(w.c.Parts, ", "), strings.Join(names, ", "))
	}
	return list, nil
}

// compared is what came of a change.
type compared struct {
	comparison
	sent *sent
}

// compare sends the operation with one change. Findings begin with the part.
func (w *world) compare(ctx context.Context, c comparison, first *sent) (compared, error) {
	s, err := w.sendOne(ctx, sendArgs{As: c.part, KeyOf: first.Name, Body: c.vary})
	if err != nil {
		return compared{}, err
	}
	before := len(w.evidence.Findings)
	if strings.HasPrefix(c.vary, "removed:") && s.disposition == reports.Conflict && !judge.Matches(w.target.Profile.Mismatch, s.Exchange) {
		c.expect = "" // a body that lacks a member may be refused for that
	}
	if c.expect != "" {
		w.part = c.part
		err = w.judgeAttempt(s, first, c.expect)
		w.part = ""
	}
	if s.disposition == reports.Created && (c.expect == "" || s.permit.Allows(reports.Created)) {
		w.allowed++
	}
	w.tellComparison(c, s, w.evidence.Findings[before:])
	return compared{c, s}, err
}

// tellComparison writes what came of a change into the stream.
func (w *world) tellComparison(c comparison, s *sent, findings []reports.Finding) {
	e := reports.PayloadChange{Part: c.part, Change: c.change, Expected: string(c.expect), Disposition: s.disposition, Status: s.Status,
		Verdict: reports.NotApplicable}
	switch {
	case c.expect == "":
	case len(findings) > 0:
		e.Verdict = reports.Fail
	case s.permit.Allows(s.disposition):
		e.Verdict = reports.Pass
	case s.disposition == reports.NoAnswer, s.disposition == reports.HeldBack:
		e.Verdict = reports.Inconclusive
	}
	w.emit(w.c.ID, reports.Event{Kind: reports.KindPayloadChange, PayloadChange: &e})
}

// told says in a few lines what the target compares, which is observed and never judged by itself.
func told(rows []compared) []string {
	groups := []struct {
		text string
		has  func(*sent) bool
	}{
		{"this target ignores changes in: ", func(s *sent) bool { return s.disposition == reports.Replayed }},
		{"it takes for another request under the key: ", func(s *sent) bool { return s.disposition == reports.Conflict }},
		{"it makes a record of their own for: ", func(s *sent) bool { return s.disposition == reports.Created }},
		{"it refuses, whatever the key: ", func(s *sent) bool { return s.disposition == reports.Rejected || s.disposition == reports.HeldBack }},
		{"it fails at: ", func(s *sent) bool { return s.disposition == reports.Failed }},
		{"it said nothing that settles: ", func(s *sent) bool {
			return s.disposition == reports.InProgress || s.disposition == reports.NoAnswer
		}},
	}
	var lines []string
	for _, g := range groups {
		var parts []string
		for _, r := range rows {
			if g.has(r.sent) {
				parts = append(parts, fmt.Sprintf("%s (%s)", r.part, outcomeWord(r.sent)))
			}
		}
		if len(parts) > 0 {
			lines = append(lines, g.text+strings.Join(parts, ", "))
		}
	}
	return lines
}

func outcomeWord(s *sent) string {
	if !s.Answered() {
		return string(s.disposition)
	}
	return fmt.Sprint(s.Status)
}
