package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// documented holds a refusal against the clause that documents it: status, code, and the hint when to try again.
func documented(a Attempted, permit Permit) Opinion {
	c := permit.Clause
	var o Opinion
	if permit.Name == "" {
		return o // no clause speaks of this refusal
	}
	if !known(c) {
		o.Notes = append(o.Notes, reports.Note{Text: fmt.Sprintf("%q was %s; the profile names no status for %s",
			a.Exchange.Name, describe(a), permit.Name)})
		return o
	}
	return o.with(documentedStatus(a, permit)).with(documentedCode(a, permit)).with(pointer(a, c, permit.Name)).with(hint(a, permit))
}

func documentedStatus(a Attempted, permit Permit) Opinion {
	c, path, found := permit.Clause, permit.Name+".status", strconv.Itoa(a.Exchange.Status)
	switch {
	case len(c.Status) == 0:
		return Opinion{}
	case c.HasStatus(a.Exchange.Status):
		return agreed(a, path, c.Claim, found)
	}
	return byClaim(answerFinding(reports.WrongStatus, a, "the documented status for "+permit.Name, numbers(c.Status), found), c.Claim, path, found)
}

func documentedCode(a Attempted, permit Permit) Opinion {
	c, path := permit.Clause, permit.Name+".code"
	if c.Code == nil {
		return Opinion{}
	}
	found := orNothing(targets.CodeFound(c.Code, a.Exchange))
	if targets.CodeIn(c.Code, a.Exchange) {
		return agreed(a, path, c.Claim, found)
	}
	return byClaim(answerFinding(reports.WrongStatus, a, "the documented code for "+permit.Name, strings.Join(c.Code.In, " or "), found), c.Claim, path, found)
}

func hint(a Attempted, permit Permit) Opinion {
	m, path := permit.Clause.RetryHint, permit.Name+".retry_hint.name"
	if m == nil || a.Disposition != reports.InProgress {
		return Opinion{}
	}
	found := orNothing(a.Exchange.Answer.Get(m.Name))
	if HasMarker(m, a.Exchange) {
		return agreed(a, path, m.Claim, m.Name+": "+found)
	}
	return byClaim(answerFinding(reports.WrongStatus, a, "the header that says when to try again", m.Name, found), m.Claim, path, found)
}

// identical compares what a client reads: status, body, media type, Location and ETag. Other headers (dates, request
// ids) are the server's own business.
func identical(a Attempted, c targets.Clause) Opinion {
	var o Opinion
	first, x := *a.First, a.Exchange
	differs := func(what, want, got string) {
		o = o.with(otherShape(a, c, what, orNothing(want), orNothing(got)))
	}
	if first.Status != x.Status {
		differs("the first answer's status", strconv.Itoa(first.Status), strconv.Itoa(x.Status))
	}
	empty := len(first.Content) == 0 && len(x.Content) == 0
	for _, name := range comparedHeaders(c, first.Answer, x.Answer) {
		if name == "Content-Type" && empty {
			continue // the media type of nothing; RFC 9110 section 8.3 speaks of content
		}
		if first.Answer.Get(name) != x.Answer.Get(name) {
			differs("the first answer's "+name, first.Answer.Get(name), x.Answer.Get(name))
		}
	}
	if first.Cut || x.Cut {
		o.Notes = append(o.Notes, reports.Note{Text: fmt.Sprintf("%q: a body was too long to compare", x.Name)})
		return o
	}
	return o.with(sameBody(a, c))
}

// sameBody compares the bodies of a replay and of the first answer: as JSON where they are JSON, else byte by byte. A
// member that differs between any two answers is no finding.
func sameBody(a Attempted, c targets.Clause) Opinion {
	first, x := *a.First, a.Exchange
	if bytes.Equal(first.Content, x.Content) {
		return Opinion{}
	}
	what, same := bodyDifference(first.Content, x.Content, c.Ignore)
	if same {
		return Opinion{Notes: []reports.Note{{Text: fmt.Sprintf("%q: the body has the same JSON value as the first one in other bytes", x.Name)}}}
	}
	if _, same := bodyDifference(first.Content, x.Content, slices.Concat(c.Ignore, a.Volatile)); same {
		return Opinion{Notes: []reports.Note{{Warning: true, Text: fmt.Sprintf(
			"%q: %s where the first answer has %s. Any two answers of this target differ there, so that it is no finding; replay.ignore in the target file says so for good",
			x.Name, what.got, what.want)}}}
	}
	return otherShape(a, c, "the first answer's body", orNothing(what.want), orNothing(what.got))
}

// Compare tells whether two bodies have the same JSON value, and if not, the first member that differs on both sides.
func Compare(was, is []byte) (want, got string, same bool) {
	d, same := bodyDifference(was, is, nil)
	return d.want, d.got, same
}

type difference struct{ want, got string }

// bodyDifference compares two bodies as JSON values, without the members at the ignored pointers. It names the first
// member that differs; bodies that are not JSON are described by their lengths.
func bodyDifference(want, got []byte, ignore []string) (difference, bool) {
	var a, b any
	if json.Unmarshal(want, &a) != nil || json.Unmarshal(got, &b) != nil {
		return difference{fmt.Sprintf("%d bytes", len(want)), fmt.Sprintf("%d bytes", len(got))}, false
	}
	for _, p := range ignore {
		remove(a, p)
		remove(b, p)
	}
	if reflect.DeepEqual(a, b) {
		return difference{}, true
	}
	return firstDifference("", a, b), false
}

func firstDifference(path string, a, b any) difference {
	am, aok := a.(map[string]any)
	bm, bok := b.(map[string]any)
	if !aok || !bok {
		return difference{path + " " + short(a), path + " " + short(b)}
	}
	for _, k := range sortedKeys(am, bm) {
		if !reflect.DeepEqual(am[k], bm[k]) {
			return firstDifference(path+"/"+k, am[k], bm[k])
		}
	}
	return difference{short(a), short(b)}
}

func (o Opinion) with(more Opinion) Opinion {
	o.Findings = append(o.Findings, more.Findings...)
	o.Notes = append(o.Notes, more.Notes...)
	o.Claims = append(o.Claims, more.Claims...)
	if o.Unclear == "" {
		o.Unclear = more.Unclear
	}
	return o
}

func answerFinding(kind reports.FindingKind, a Attempted, what, want, got string) reports.Finding {
	return reports.Finding{
		Kind: kind, Question: reports.QuestionAnswer,
		Message:  fmt.Sprintf("%q does not have %s", a.Exchange.Name, what),
		Expected: want, Found: got, Exchanges: []string{a.Exchange.Name},
	}
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

func numbers(list []int) string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = strconv.Itoa(n)
	}
	return strings.Join(out, " or ")
}
