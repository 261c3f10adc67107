package discover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/intake"
)

// Verdict is what verify ends in: exactly one.
type Verdict string

// The verdicts.
const (
	Honoured     Verdict = "HONOURED"
	Partly       Verdict = "PARTLY"
	Ignored      Verdict = "IGNORED"
	Refused      Verdict = "REFUSED"
	CouldNotTell Verdict = "COULD NOT TELL"
)

// Exit gives the exit status of a verdict.
func (v Verdict) Exit() int {
	switch v {
	case Honoured:
		return reports.ExitPass
	case Partly, Ignored, Refused:
		return reports.ExitBroken
	}
	return reports.ExitUntold
}

// Strength is how the records were counted.
type Strength string

// The strengths, from the strongest.
const (
	Counted  Strength = "counted"  // by a list call of the vendor's
	Inferred Strength = "inferred" // from the distinct ids in answers
	Asked    Strength = "asked"    // a person said what the vendor's web page shows
)

// Options are what a verification needs. Profile, Ask and Sinks may be left out.
type Options struct {
	Draft    *intake.Draft
	Strength Strength
	// Ask puts a question to a person and gives the number that was answered; false where they could not tell. Needed
	// where Strength is Asked.
	Ask      func(ctx context.Context, question string) (int, bool, error)
	Profile  *targets.Profile // what the vendor documents, to compare with
	Cases    []steps.Case     // all built-in ones, of which some are run
	Features fs.FS
	Paths    []string
	Open     func(context.Context, *targets.Target) (*targets.Endpoint, error)
	Env      targets.Env
	Sinks    []reports.Sink
	Started  reports.RunStarted // tool and command
	RunID    string
	Now      func() time.Time
	Random   io.Reader
	Wait     func(context.Context, time.Duration) error
	Patience time.Duration // how long a list may lag behind at most
}

// Result is what a verification came to.
type Result struct {
	Verdict  Verdict
	Strength Strength
	Why      string   // in one sentence
	Missing  []string // what a PARTLY lacks
	Untold   []string // what could not be told
	Evidence []string // what was seen, a line each
	Place    string   // where the marker stood, in words; empty: no place was found
	Contract *targets.Profile
	Differs  []string        // from what is documented
	Compared string          // the profile that it was compared with
	Report   *reports.Report // of the cases; nil: none was run
	Draft    *intake.Draft   // completed by what was found out
	Requests int             // that were sent before the cases ran
	Records  []string        // ids of the records that were created then
	Marker   string          // what all texts by which the records are found begin with
}

// Cost says how many requests and records a verification costs at most.
func Cost(o Options) (requests, records int, err error) {
	places := o.Draft.Places(o.Draft.Wanted())
	if len(places) == 0 {
		return 0, 0, nil // nothing will be sent
	}
	d := o.Draft.Marked(places[0])
	d.Read = orDefault(d.Read, "GET "+d.Collection()+"/{{id}}")
	t, err := d.Target(fileName, o.Env)
	if err != nil {
		return 0, 0, err
	}
	cases, err := (&prober{Options: o, res: Result{Draft: d}}).chosen()
	if err != nil {
		return 0, 0, err
	}
	requests, records = steps.Costs(cases, t, steps.Abilities{})
	return requests + maxProbes, records + maxProbes/2, nil
}

// fileName stands for the target file that a verification does without, in messages.
const fileName = "the vendor"

// Run verifies. The error says that it could not even be begun; whatever the vendor does is in the result.
func Run(ctx context.Context, o Options) (Result, error) {
	p := &prober{Options: o, hidden: map[string]bool{}, res: Result{Strength: o.Strength, Verdict: CouldNotTell, Marker: "ic-" + o.RunID}}
	if p.Profile != nil {
		p.Draft.Key = carriage(p.Draft.Key, p.Profile.Key)
	}
	if p.Draft.Key.Name == "" {
		p.Draft.Key = targets.Key{In: targets.InHeader, Name: "Idempotency-Key"}
	}
	ended, err := p.find(ctx)
	if err != nil || ended {
		return p.res, err
	}
	return p.run(ctx)
}

// carriage takes from a documented key how it travels.
func carriage(given, documented targets.Key) targets.Key {
	if given.Name == "" {
		given.In, given.Name = documented.In, documented.Name
	}
	if given.Quoting == "" {
		given.Quoting = documented.Quoting
	}
	given.Companions = documented.Companions
	return given
}

// run has the cases run, and concludes.
func (p *prober) run(ctx context.Context) (Result, error) {
	t, err := p.res.Draft.Target(fileName, p.Env)
	if err != nil {
		return p.res, fmt.Errorf("describe the vendor: %w", err)
	}
	cases, err := p.chosen()
	if err != nil {
		return p.res, err
	}
	endpoint, err := p.Open(ctx, t)
	if err != nil {
		return p.res, err
	}
	report, marks, err := p.engine(ctx, endpoint, cases)
	if err = errors.Join(err, endpoint.Close()); err != nil {
		return p.res, err
	}
	p.res.Report = &report
	e := evidence{report: report, strength: p.Strength, profile: p.Profile, asked: map[string]int{}}
	if p.Strength == Asked && e.stopped() == "" {
		if err := p.question(ctx, &e, marks); err != nil {
			return p.res, err
		}
	}
	e.conclude(&p.res)
	contract := e.contract(p.res.Draft, p.Now())
	p.res.Contract = &contract
	if p.Profile != nil {
		p.res.Compared, p.res.Differs = p.Profile.Name, differences(*p.Profile, contract)
	}
	return p.res, nil
}

// engine runs the cases and gives their report, with the marker of each case.
func (p *prober) engine(ctx context.Context, endpoint *targets.Endpoint, cases []steps.Case) (reports.Report, markers, error) {
	folder, marks := reports.NewFolder(), markers{}
	stream := reports.NewStream(p.RunID, "", p.Now, append([]reports.Sink{folder, marks}, p.Sinks...)...)
	stream.Redact(endpoint.Target.Secrets.Redact)
	started := p.Started
	started.Target, started.About = endpoint.Target.Name, endpoint.About
	started.URL, started.Profile = endpoint.Target.Secrets.RedactURL(endpoint.URL), endpoint.Target.Profile.Name
	err := steps.Run(ctx, steps.Options{
		Features: p.Features, Paths: p.Paths, Cases: cases, Endpoint: endpoint, Stream: stream, Folder: folder,
		Started: started, RunID: p.RunID, Now: p.Now, Random: p.Random, Concurrency: p.concurrency(), CaseTimeout: caseTimeout, Wait: p.Wait,
	})
	return folder.Report(), marks, err
}

// concurrency is how many quiet cases run at once: more where most of the time goes into waiting for a list.
func (p *prober) concurrency() int {
	if p.lag > 0 {
		return 8
	}
	return 4
}

// caseTimeout is long: a vendor's rate limit is waited out.
const caseTimeout = 5 * time.Minute

// The cases that are run, by what they tell.
const (
	caseReplay   = "replay-once"
	caseControl  = "different-key"
	caseLost     = "K1"
	caseMismatch = "K4"                   // with a look at the record
	caseConflict = "conflict-then-replay" // without
	caseOpen     = "second-while-open"
	caseMissing  = "missing-key"
	caseInvalid  = "invalid-then-corrected"
)

// chosen selects the cases. Where each count has to wait for a list that lags behind, a few rounds of many sends take
// the place of many rounds of a few, and what decides nothing is left out.
func (p *prober) chosen() ([]steps.Case, error) {
	lagging := p.lag > 0
	ids := []string{caseReplay, caseControl, caseLost, caseMissing, caseInvalid, keyLength(255), burstCase(lagging)}
	if !lagging {
		ids = append(ids, caseOpen, keyLength(256), keyLength(5000))
	}
	mismatch := caseMismatch
	if p.res.Draft.Read == "" {
		mismatch = caseConflict
	}
	return steps.Select(p.Cases, append(ids, mismatch), nil)
}

func keyLength(n int) string { return fmt.Sprintf("key-length[%d]", n) }

func burstCase(lagging bool) string {
	if lagging {
		return "double-send[50]"
	}
	return "double-send[10]"
}

// markers remembers the marker of each case: the first reading names it.
type markers map[string]string

// Event takes the next event. It never fails.
func (m markers) Event(e reports.Event) error {
	if e.Reading != nil && e.Case != "" && m[e.Case] == "" {
		m[e.Case] = e.Reading.Marker
	}
	return nil
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
