package judge

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

func shaped(modes ...string) targets.Clause {
	return targets.Clause{Mode: modes, Claim: documentedMust}
}

// Each shape of a replay takes what is documented for it, and nothing else.
func TestShapesOfAReplay(t *testing.T) {
	t.Parallel()
	pointing := shaped(targets.ModePointerError)
	pointing.Status, pointing.ID = targets.Ints{409}, "$.links.first"
	upsert := shaped(targets.ModeUpsert)
	upsert.Flag = &targets.Code{At: "$.new", In: targets.Strings{"false"}}
	whole := shaped(targets.ModeIdentical)
	whole.Headers = targets.Strings{"*"}
	first := answer(201, `{"id":"D77","state":"new"}`)
	first.Answer = http.Header{"X-Trace": {"1"}, "Date": {"then"}}
	with := func(status int, body string, header ...string) targets.Exchange {
		x := answer(status, body)
		for i := 0; i < len(header); i += 2 {
			x.Answer.Set(header[i], header[i+1])
		}
		return x
	}
	for name, c := range map[string]struct {
		clause targets.Clause
		x      targets.Exchange
		id     string
		kinds  []reports.FindingKind
	}{
		"same record, newer body":        {shaped(targets.ModeSameRecord), answer(200, `{"id":"D77","state":"paid"}`), "D77", nil},
		"same record, another one":       {shaped(targets.ModeSameRecord), answer(200, `{"id":"D78"}`), "D78", []reports.FindingKind{reports.ReplayDiffers}},
		"identical, newer body":          {shaped(targets.ModeIdentical), answer(201, `{"id":"D77","state":"paid"}`), "D77", []reports.FindingKind{reports.ReplayDiffers}},
		"either of two, newer body":      {shaped(targets.ModeIdentical, targets.ModeSameRecord), answer(200, `{"id":"D77","state":"paid"}`), "D77", nil},
		"either of two, another record":  {shaped(targets.ModeSameRecord, targets.ModeUpsert), answer(200, `{"id":"D78"}`), "D78", []reports.FindingKind{reports.ReplayDiffers}},
		"all headers, as they were":      {whole, with(201, `{"id":"D77","state":"new"}`, "X-Trace", "1", "Date", "now"), "D77", nil},
		"all headers, another one":       {whole, with(201, `{"id":"D77","state":"new"}`, "X-Trace", "2"), "D77", []reports.FindingKind{reports.ReplayDiffers}},
		"all headers, one is new":        {whole, with(201, `{"id":"D77","state":"new"}`, "X-Trace", "1", "X-More", "1"), "D77", []reports.FindingKind{reports.ReplayDiffers}},
		"pointer to the first":           {pointing, answer(409, `{"links":{"first":"D77"}}`), "", nil},
		"pointer to another one":         {pointing, answer(409, `{"links":{"first":"D99"}}`), "", []reports.FindingKind{reports.ReplayDiffers}},
		"pointer that is not there":      {pointing, answer(409, `{}`), "", []reports.FindingKind{reports.ReplayDiffers}},
		"pointer with another status":    {pointing, answer(400, `{"links":{"first":"D77"}}`), "", []reports.FindingKind{reports.WrongStatus}},
		"replayed instead of pointed":    {pointing, answer(201, `{"links":{"first":"D77"}}`), "D77", []reports.FindingKind{reports.WrongStatus, reports.WrongStatus}},
		"upsert, nothing new":            {upsert, answer(200, `{"id":"D77","new":false}`), "D77", nil},
		"upsert, said to be new":         {upsert, answer(200, `{"id":"D77","new":true}`), "D77", []reports.FindingKind{reports.ReplayDiffers}},
		"upsert, another record":         {upsert, answer(200, `{"id":"D78","new":false}`), "D78", []reports.FindingKind{reports.ReplayDiffers}},
		"acknowledged, whatever it says": {shaped(targets.ModeAck), answer(204, ``), "", nil},
		"acknowledged with another body": {shaped(targets.ModeAck), answer(200, `{"id":"D99"}`), "D99", nil},
		"refused instead":                {shaped(targets.ModeAck), answer(409, ``), "", []reports.FindingKind{reports.WrongStatus}},
		"nothing is documented":          {targets.Clause{}, answer(200, `{"id":"D78"}`), "D78", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := Attempted{Exchange: c.x, Disposition: reports.Replayed, ID: c.id, First: &first, FirstID: "D77", Level: targets.Must, Replay: c.clause}
			var kinds []reports.FindingKind
			for _, f := range Attempt(Replay, a, Permitted(Replay, targets.Profile{Replay: c.clause}, Facts{})).Findings {
				kinds = append(kinds, f.Kind)
			}
			assert.Equal(t, c.kinds, kinds)
		})
	}
}

// TestMarkerOnTheFirstAnswer: what is documented of a first answer's marker holds, and an echoed key must be the key.
func TestMarkerOnTheFirstAnswer(t *testing.T) {
	t.Parallel()
	judge := func(first targets.Strings, header string) int {
		p := targets.Profile{Replay: targets.Clause{Mode: targets.Strings{targets.ModeIdentical}, Claim: documentedMust,
			Marker: &targets.Marker{Name: "Hit", Value: targets.Strings{"true"}, First: first, Claim: documentedMust}}}
		x := answer(201, "")
		x.Key = "k1"
		if header != "" {
			x.Answer.Set("Hit", header)
		}
		a := Attempted{Exchange: x, Disposition: reports.Created, ID: "D77", Level: targets.Must, Replay: p.Replay}
		return len(Attempt(OwnRequest, a, Permitted(OwnRequest, p, Facts{})).Findings)
	}
	assert.Zero(t, judge(nil, "true"), "nothing is said")
	assert.Zero(t, judge(targets.Strings{"absent"}, ""))
	assert.Equal(t, 1, judge(targets.Strings{"absent"}, "true"))
	assert.Zero(t, judge(targets.Strings{"absent", "false"}, "false"))
	assert.Zero(t, judge(targets.Strings{"{{key}}"}, "k1"))
	assert.Equal(t, 1, judge(targets.Strings{"{{key}}"}, "k2"))
	assert.Zero(t, judge(targets.Strings{"any"}, "x"))
}

// TestDispositionByShape: which shape is documented decides what a repeated key has come to.
func TestDispositionByShape(t *testing.T) {
	t.Parallel()
	profile := func(c targets.Clause) targets.Profile { return targets.Profile{Replay: c} }
	ack := profile(shaped(targets.ModeAck))
	upsert := shaped(targets.ModeUpsert)
	upsert.Flag = &targets.Code{At: "$.new", In: targets.Strings{"false"}}
	echo := shaped(targets.ModeSameRecord)
	echo.Marker = &targets.Marker{Name: "Result", Value: targets.Strings{"accepted"}, First: targets.Strings{"accepted"}}
	told := shaped(targets.ModeSameRecord)
	told.Marker = &targets.Marker{Name: "Result", Value: targets.Strings{"accepted"}}
	marked := answer(200, "")
	marked.Answer.Set("Result", "accepted")
	inBody := profile(shaped(targets.ModeSameRecord))
	inBody.Refused = &targets.Refused{Code: targets.Code{At: "$.errors[*].message"}}
	inBody.Mismatch.Code = &targets.Code{At: "$.errors[*].code", In: targets.Strings{"OTHER"}}
	inBody.InFlight.Code = &targets.Code{At: "$.errors[*].code", In: targets.Strings{"BUSY"}}
	inHeader := profile(shaped(targets.ModeIdentical))
	inHeader.Mismatch = targets.Clause{Status: targets.Ints{400}, Code: &targets.Code{At: "header:Result", In: targets.Strings{"rejected"}}}
	rejected, failed := answer(400, ""), answer(500, "")
	rejected.Answer.Set("Result", "rejected")
	inXML := profile(shaped(targets.ModeIdentical))
	inXML.InFlight.Code = &targets.Code{At: "xml:error@code", In: targets.Strings{"9"}}
	for name, c := range map[string]struct {
		x    targets.Exchange
		ctx  Context
		want reports.Disposition
	}{
		"first acknowledgement":             {answer(200, ""), Context{Profile: ack}, reports.Created},
		"repeated acknowledgement":          {answer(200, ""), Context{Profile: ack, KeyUsed: true, SameAs: true}, reports.Replayed},
		"acknowledgement of another body":   {answer(200, ""), Context{Profile: ack, KeyUsed: true}, reports.Replayed},
		"acknowledgement with a new id":     {answer(200, ""), Context{Profile: ack, KeyUsed: true, SameAs: true, ID: "D78"}, reports.Created},
		"no answer id, no acknowledgements": {answer(200, ""), Context{Profile: draft, KeyUsed: true, SameAs: true}, reports.Created},
		"flag after a lost answer":          {answer(200, `{"new":false}`), Context{Profile: profile(upsert), KeyUsed: true, SameAs: true, ID: "D1"}, reports.Replayed},
		"no flag after a lost answer":       {answer(200, `{"new":true}`), Context{Profile: profile(upsert), KeyUsed: true, SameAs: true, ID: "D1"}, reports.Created},
		"marker that only repeats have":     {marked, Context{Profile: profile(told), KeyUsed: true, SameAs: true, ID: "D1"}, reports.Replayed},
		"marker that first answers have":    {marked, Context{Profile: profile(echo), KeyUsed: true, SameAs: true, ID: "D1"}, reports.Created},
		"pointer for another payload":       {answer(409, ""), Context{Profile: pointing, KeyUsed: true, Resolved: true}, reports.Conflict},
		"200 that is a mismatch":            {answer(200, `{"errors":[{"code":"OTHER","message":"m"}]}`), Context{Profile: inBody, KeyUsed: true, Resolved: true}, reports.Conflict},
		"200 that is in progress":           {answer(200, `{"errors":[{"code":"BUSY","message":"m"}]}`), Context{Profile: inBody, KeyUsed: true, SameAs: true}, reports.InProgress},
		"200 that is a refusal":             {answer(200, `{"errors":[{"code":"BAD","message":"m"}]}`), Context{Profile: inBody}, reports.Rejected},
		"200 without errors":                {answer(200, `{"errors":[]}`), Context{Profile: inBody, ID: "D1"}, reports.Created},
		"code in a header":                  {rejected, Context{Profile: inHeader, KeyUsed: true, Resolved: true}, reports.Conflict},
		"code in an XML attribute":          {answer(409, `<r><error code="9"/></r>`), Context{Profile: inXML, KeyUsed: true, SameAs: true}, reports.InProgress},
		"another code in XML":               {answer(409, `<r><error code="4"/></r>`), Context{Profile: inXML, KeyUsed: true, SameAs: true}, reports.Rejected},
		"job still runs":                    {answer(202, ""), Context{Job: JobRunning}, reports.InProgress},
		"job has written nothing":           {answer(202, ""), Context{Job: JobBroke}, reports.Rejected},
		"job that was refused":              {answer(202, ""), Context{Job: JobBroke, Result: &rejected}, reports.Rejected},
		"job that has failed":               {answer(202, ""), Context{Job: JobBroke, Result: &failed}, reports.Failed},
		"pointer at a job that has failed":  {answer(409, ""), Context{Profile: pointing, KeyUsed: true, SameAs: true, Job: JobBroke, Result: &failed}, reports.Failed},
		"job has written a record":          {answer(202, ""), Context{Job: JobDone, ID: "D1"}, reports.Created},
		"pointer at a job that runs":        {answer(409, ""), Context{Profile: pointing, KeyUsed: true, SameAs: true, Job: JobRunning}, reports.InProgress},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, Disposition(c.x, c.ctx))
		})
	}
}

// TestPermitsByShape: in flight pointed, missing by endpoint, and acknowledgements of another body.
func TestPermitsByShape(t *testing.T) {
	t.Parallel()
	pointed := targets.Profile{InFlight: shaped(targets.ModePointer)}
	assert.True(t, Permitted(WhileRunning, pointed, Facts{}).Allows(reports.Replayed))
	assert.False(t, Permitted(WhileRunning, draft, Facts{}).Allows(reports.Replayed))
	silent := targets.Profile{InFlight: targets.Clause{Mode: targets.Strings{targets.ModeUndocumented}}}
	assert.True(t, Permitted(WhileRunning, silent, Facts{}).Allows(reports.Replayed))
	byEndpoint := targets.Profile{Missing: shaped(targets.ModeReject, targets.ModeExecutes)}
	assert.True(t, Permitted(MissingKey, byEndpoint, Facts{}).Allows(reports.Created))
	assert.True(t, Permitted(MissingKey, byEndpoint, Facts{}).Allows(reports.Rejected))
	assert.False(t, Permitted(MissingKey, draft, Facts{}).Allows(reports.Created))
	receiver := targets.Profile{Replay: shaped(targets.ModeAck)}
	assert.True(t, Permitted(Mismatch, receiver, Facts{}).Allows(reports.Replayed))
	assert.False(t, Permitted(Mismatch, draft, Facts{}).Allows(reports.Replayed))
}

// TestConflictThatNamesTheFirst: an id that a mismatch is documented to hold must be the first record's.
func TestConflictThatNamesTheFirst(t *testing.T) {
	t.Parallel()
	p := draft
	p.Mismatch.ID = "$.resource_id"
	judge := func(body string) int {
		a := Attempted{Exchange: answer(422, body), Disposition: reports.Conflict, FirstID: "D77", KeyShared: true, Level: targets.Must}
		return len(Attempt(Mismatch, a, Permitted(Mismatch, p, Facts{})).Findings)
	}
	assert.Zero(t, judge(`{"resource_id":"D77"}`))
	assert.Equal(t, 1, judge(`{"resource_id":"D78"}`))
	assert.Equal(t, 1, judge(`{}`))
}
