package judge

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// Expectation is how many records are right. Max is at least Min.
type Expectation struct {
	Min, Max int
}

// Exactly is the expectation of one number.
func Exactly(n int) Expectation { return Expectation{n, n} }

// String gives the expectation in words: "1", "0 or 1".
func (e Expectation) String() string {
	switch {
	case e.Min == e.Max:
		return strconv.Itoa(e.Min)
	case e.Max == e.Min+1:
		return fmt.Sprintf("%d or %d", e.Min, e.Max)
	}
	return fmt.Sprintf("%d to %d", e.Min, e.Max)
}

// Plus adds two expectations, for an observer that cannot tell namespaces apart.
func (e Expectation) Plus(o Expectation) Expectation {
	return Expectation{e.Min + o.Min, e.Max + o.Max}
}

// Counted is a count as it is judged.
type Counted struct {
	Reading    targets.Reading
	Expect     Expectation
	Level      targets.Level
	SideEffect bool
	Answered   []string // distinct record ids in successful answers for these records
	Claimed    bool     // a successful answer claimed that a record exists
	Refused    bool     // an attempt that was no plain repeat was refused: what it left behind is a phantom
	Unanswered bool     // an attempt had no answer, so that distinct ids in answers may be too few
}

// Records judges one count: the first of the three questions. A count that could not be taken says nothing, and is
// never a pass.
func Records(c Counted) Opinion {
	r := c.Reading
	switch {
	case r.Err != "":
		return Opinion{Unclear: fmt.Sprintf("the observer %s could not count: %s", r.Observer, r.Err)}
	case r.Inferred && c.Unanswered && r.Count <= c.Expect.Max:
		return Opinion{Unclear: "an attempt stayed unanswered and there is no observer but the answers"}
	case r.Count > c.Expect.Max:
		return Opinion{Findings: []reports.Finding{tooMany(c)}}
	case r.Count < c.Expect.Min:
		return tooFew(c)
	}
	return Opinion{}
}

func tooMany(c Counted) reports.Finding {
	f := countFinding(c)
	switch {
	case c.SideEffect:
		f.Kind = reports.SideEffectRepeated
		f.Message = fmt.Sprintf("%s: %d side effects where %s is right", c.Reading.Observer, c.Reading.Count, c.Expect)
	case !c.Claimed || c.Refused && len(c.Answered) <= c.Expect.Max:
		f.Kind = reports.Phantom
		f.Message = fmt.Sprintf("%d records exist where %s is right: one was written although the target refused", c.Reading.Count, c.Expect)
	default:
		f.Kind = reports.Duplicate
		f.Message = fmt.Sprintf("%d records exist where %s is right", c.Reading.Count, c.Expect)
	}
	return f
}

func tooFew(c Counted) Opinion {
	f := countFinding(c)
	f.Kind = reports.Lost
	if c.SideEffect {
		f.Message = fmt.Sprintf("%s: %d side effects where %s is right", c.Reading.Observer, c.Reading.Count, c.Expect)
		return Opinion{Findings: []reports.Finding{f}}
	}
	if !c.Claimed {
		return Opinion{Unclear: fmt.Sprintf("%d records exist where %s is right, and no answer claimed that there are more", c.Reading.Count, c.Expect)}
	}
	if c.Reading.Inferred {
		return Opinion{Unclear: fmt.Sprintf("the answers name %d records where %s is right; without an observer it cannot be told what exists", c.Reading.Count, c.Expect)}
	}
	f.Message = fmt.Sprintf("%d records exist where %s is right, though answers claimed success", c.Reading.Count, c.Expect)
	return Opinion{Findings: []reports.Finding{f}}
}

func countFinding(c Counted) reports.Finding {
	ids := slices.Clone(c.Reading.IDs)
	return reports.Finding{
		Question: reports.QuestionRecords, Level: c.Level, Provenance: targets.Documented,
		Expected: c.Expect.String(), Found: strconv.Itoa(c.Reading.Count), IDs: ids,
	}
}

// OneRecord judges that all successful answers to one identity name the same record.
func OneRecord(level targets.Level, ids map[string][]string) []reports.Finding {
	if len(ids) < 2 {
		return nil
	}
	f := reports.Finding{
		Kind: reports.Duplicate, Question: reports.QuestionRecords, Level: level, Provenance: targets.Documented,
		Message: "successful answers to one request name different records", Expected: "1 id",
		Found: fmt.Sprintf("%d ids", len(ids)),
	}
	for id, names := range ids {
		f.IDs = append(f.IDs, id)
		f.Exchanges = append(f.Exchanges, names...)
	}
	slices.Sort(f.IDs)
	slices.Sort(f.Exchanges)
	return []reports.Finding{f}
}
