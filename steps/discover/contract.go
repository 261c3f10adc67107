package discover

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/intake"
)

// contract is what the cases have shown of the vendor's contract, as a profile: every value is observed, and dated.
func (e evidence) contract(d *intake.Draft, now time.Time) targets.Profile {
	seen := targets.Claim{Level: targets.Should, Provenance: targets.Observed, Date: now.UTC().Format(time.DateOnly)}
	p := targets.Profile{
		Name: "observed-" + d.Name, Title: "what " + d.Name + " was seen to do", Source: "idemcheck verify against " + d.URL,
		Key: targets.Key{In: d.Key.In, Name: d.Key.Name, Quoting: d.Key.Quoting, Companions: d.Key.Companions, Claim: seen},
	}
	if p.Key.Quoting == "" && p.Key.In == targets.InHeader {
		p.Key.Quoting = targets.QuotingBare
	}
	p.Key.MaxLength, p.Key.Note = e.keyLength()
	with := func(c targets.Clause, known bool) targets.Clause {
		if !known {
			return targets.Clause{}
		}
		c.Claim = seen
		if c.Marker != nil {
			c.Marker.Claim = seen
		}
		if c.RetryHint != nil {
			c.RetryHint.Claim = seen
		}
		return c
	}
	p.Replay = with(e.replayClause())
	p.Mismatch = with(e.mismatchClause())
	p.InFlight = with(e.inFlightClause())
	p.Missing = with(e.missingClause())
	p.Failures.Validation = with(e.validationClause())
	return p
}

func (e evidence) replayClause() (targets.Clause, bool) {
	c := e.find(caseReplay)
	first, again := exchange(c, "first"), exchange(c, "again")
	if first == nil || again == nil || again.Status == 0 {
		return targets.Clause{}, false
	}
	out := targets.Clause{Status: targets.Ints{again.Status}}
	switch n, told := e.records(c); {
	case told && n > 1:
		return targets.Clause{}, false // no replay
	case !success(again):
		out.Mode, out.Code = targets.Strings{targets.ModePointerError}, e.codeIn(again, func(p *targets.Profile) *targets.Code { return p.Replay.Code })
	case again.Status == first.Status && sameBody(first.Content, again.Content):
		out.Mode = targets.Strings{targets.ModeIdentical}
	default:
		out.Mode = targets.Strings{targets.ModeSameRecord}
	}
	out.Marker = markerIn(first.Answer, again.Answer)
	return out, true
}

var markerName = regexp.MustCompile(`(?i)(idempoten|replay|duplicate|repeat|cache-?(hit|status)|original)`)

// markerIn finds the header by which a replay tells itself from the first answer: one that is not in the first, or has
// another value there, and whose name speaks of it.
func markerIn(first, again map[string][]string) *targets.Marker {
	var names []string
	for name, values := range again {
		before := http.Header(first).Get(name)
		if len(values) > 0 && before != values[0] && markerName.MatchString(name) && len(values[0]) < 40 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return &targets.Marker{Name: names[0], Value: targets.Strings{again[names[0]][0]}}
}

func (e evidence) mismatchClause() (targets.Clause, bool) {
	c := e.mismatch()
	x := exchange(c, "revised")
	n, told := e.records(c)
	if x == nil || x.Status == 0 || !told {
		return targets.Clause{}, false
	}
	out := targets.Clause{Status: targets.Ints{x.Status}}
	switch {
	case n > 1:
		out.Mode = targets.Strings{targets.ModeNewRecord}
	case has(c, reports.Overwritten):
		out.Mode = targets.Strings{targets.ModeOverwrite}
	case success(x):
		out.Mode = targets.Strings{targets.ModeReplayFirst}
	default:
		out.Mode, out.Code = targets.Strings{targets.ModeReject}, e.codeIn(x, func(p *targets.Profile) *targets.Code { return p.Mismatch.Code })
	}
	return out, true
}

// inFlightClause gathers the refusals among sends at the same moment; where there was none, the others were held until
// the first was done.
func (e evidence) inFlightClause() (targets.Clause, bool) {
	c := e.burst()
	if c == nil || c.Overlap == nil || c.Overlap.Overlapped == 0 || has(c, reports.Duplicate) {
		return targets.Clause{}, false
	}
	var out targets.Clause
	var last *reports.Exchange
	for _, from := range []*reports.Case{c, e.find(caseOpen)} {
		if from == nil {
			continue
		}
		for i := range from.Exchanges {
			x := &from.Exchanges[i]
			together := strings.HasPrefix(x.Name, "worker ") || x.Name == "second"
			if together && x.Status >= 400 && x.Status < 500 && x.Status != http.StatusTooManyRequests {
				last = x
				if !slices.Contains(out.Status, x.Status) {
					out.Status = append(out.Status, x.Status)
				}
			}
		}
	}
	if last == nil {
		return targets.Clause{Mode: targets.Strings{targets.ModeWait}}, true
	}
	slices.Sort(out.Status)
	out.Mode, out.Code = targets.Strings{targets.ModeReject}, e.codeIn(last, func(p *targets.Profile) *targets.Code { return p.InFlight.Code })
	if http.Header(last.Answer).Get("Retry-After") != "" {
		out.RetryHint = &targets.Marker{Name: "Retry-After"}
	}
	return out, true
}

func (e evidence) missingClause() (targets.Clause, bool) {
	x := exchange(e.find(caseMissing), "keyless")
	switch {
	case x == nil || x.Status == 0 || x.Status >= 500 || x.Status == http.StatusTooManyRequests:
		return targets.Clause{}, false
	case success(x):
		return targets.Clause{Mode: targets.Strings{targets.ModeExecutes}}, true
	}
	code := e.codeIn(x, func(p *targets.Profile) *targets.Code { return p.Missing.Code })
	return targets.Clause{Mode: targets.Strings{targets.ModeReject}, Status: targets.Ints{x.Status}, Code: code}, true
}

// validationClause: whether a refusal for the body's sake is kept under its key.
func (e evidence) validationClause() (targets.Clause, bool) {
	c := e.find(caseInvalid)
	refused, corrected := exchange(c, "invalid"), exchange(c, "corrected")
	switch {
	case refused == nil || corrected == nil || refused.Status < 400 || refused.Status >= 500 || corrected.Status == 0:
		return targets.Clause{}, false
	case success(corrected):
		return targets.Clause{Mode: targets.Strings{targets.ModeReExecuted}}, true
	case corrected.Status == refused.Status:
		return targets.Clause{Mode: targets.Strings{targets.ModeStored}}, true
	}
	return targets.Clause{}, false
}

// keyLength gives the longest key that is known to be taken, where the next longer one was refused.
func (e evidence) keyLength() (most int, note string) {
	taken := func(n int) (yes, known bool) {
		x := exchange(e.find(keyLength(n)), "first")
		return x != nil && success(x), x != nil && x.Status != 0
	}
	short, known := taken(255)
	longer, knownLonger := taken(256)
	longest, knownLongest := taken(5000)
	switch {
	case !known:
		return 0, ""
	case !short:
		return 0, "a key of 255 characters is refused"
	case !knownLonger:
		return 0, "a key of 255 characters is taken"
	case !longer:
		return 255, ""
	case knownLongest && longest:
		return 0, "a key of 5000 characters is taken"
	}
	return 0, "a key of 256 characters is taken, one of 5000 is not"
}

var codeText = regexp.MustCompile(`^[A-Za-z0-9_.:/-]{2,80}$`)

// codeIn finds an error code in a refusal: a short word where the profile says that the code stands, else where such
// codes stand.
func (e evidence) codeIn(x *reports.Exchange, documented func(*targets.Profile) *targets.Code) *targets.Code {
	if x.Content.Cut || !json.Valid([]byte(x.Content.Text)) {
		return nil
	}
	var paths []string
	if e.profile != nil && documented(e.profile) != nil {
		paths = append(paths, documented(e.profile).At)
	}
	for _, path := range append(paths, "$.error.code", "$.error.type", "$.code", "$.error", "$.errors[0].code", "$.type", "$.errorCode", "$.error_code") {
		if text, ok := targets.QueryText(path, []byte(x.Content.Text)); ok && codeText.MatchString(text) {
			return &targets.Code{At: path, In: targets.Strings{text}}
		}
	}
	return nil
}
