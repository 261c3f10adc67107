package discover

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// State is what a check of a target file came to.
type State string

// The states.
const (
	Works       State = "works"
	Broken      State = "BROKEN"
	Unknown     State = "not known"
	NotDeclared State = "not declared"
	NotTried    State = "not tried" // there is no case that would show it
)

// Check is one part of a target file, tried.
type Check struct {
	Part   string
	State  State
	Came   string // what was seen
	Remedy string // what to do; empty where it works
}

// DoctorOptions are what the doctor needs. Blocked says why the target could not even be opened; then nothing is sent.
type DoctorOptions struct {
	Endpoint  *targets.Endpoint
	Abilities steps.Abilities
	Blocked   string
	Cases     []steps.Case // all built-in ones, of which few are run
	Features  fs.FS
	Paths     []string
	Sinks     []reports.Sink
	RunID     string
	Now       func() time.Time
	Random    io.Reader
	Wait      func(context.Context, time.Duration) error
}

// doctor is an examination while it goes on.
type doctor struct {
	DoctorOptions
	target *targets.Target
	report reports.Report
	seen   *seen
}

// seen keeps the events that belong to no case: those of the preflight and of the clean-up.
type seen struct {
	creates []reports.Exchange
	counts  []targets.Reading
	left    []string // why records could not be removed
	removed int
}

// Event takes the next event. It never fails.
func (s *seen) Event(e reports.Event) error {
	switch {
	case e.Kind == reports.KindRecordLeft:
		s.left = append(s.left, e.Record.Why)
	case e.Kind == reports.KindRecordRemoved:
		s.removed++
	case e.Case != "":
	case e.Exchange != nil && e.Exchange.Purpose == reports.PurposeAttempt:
		s.creates = append(s.creates, *e.Exchange)
	case e.Reading != nil:
		s.counts = append(s.counts, *e.Reading)
	}
	return nil
}

// Doctor tries each part of a target file, by the engine's own preflight and a few cases, and says what to do about what
// does not work. The error says that it could not even be begun.
func Doctor(ctx context.Context, o DoctorOptions) ([]Check, error) {
	d := &doctor{DoctorOptions: o, target: o.Endpoint.Target, seen: &seen{}}
	cases, err := d.choose()
	if err != nil {
		return nil, err
	}
	if d.report, err = d.run(ctx, o.Endpoint, cases); err != nil {
		return nil, err
	}
	if p := d.report.Preflight; len(d.seen.creates) == 0 && p != nil && !p.Stop {
		// The observer did not count 0 for a marker that was never used, so that nothing was created: once more without.
		bare, target := *o.Endpoint, *d.target
		target.Observers, bare.Target = nil, &target
		if _, err := d.run(ctx, &bare, nil); err != nil {
			return nil, err
		}
	}
	return slices.Concat(d.preflight(), []Check{d.tenant(), d.deletes(), d.clock(), d.crash()}), nil
}

// run has the engine prove the observers and run cases.
func (d *doctor) run(ctx context.Context, endpoint *targets.Endpoint, cases []steps.Case) (reports.Report, error) {
	folder := reports.NewFolder()
	stream := reports.NewStream(d.RunID, "", d.Now, append([]reports.Sink{folder, d.seen}, d.Sinks...)...)
	stream.Redact(d.target.Secrets.Redact)
	err := steps.Run(ctx, steps.Options{
		Features: d.Features, Paths: d.Paths, Cases: cases, Endpoint: endpoint, Abilities: d.Abilities, Blocked: d.Blocked,
		Stream: stream, Folder: folder, Started: reports.RunStarted{Target: d.target.Name}, RunID: d.RunID, Now: d.Now, Random: d.Random,
		Concurrency: 1, CaseTimeout: time.Minute, Wait: d.Wait,
	})
	return folder.Report(), err
}

const (
	caseTenant = "K6[other-tenant]"
	caseCrash  = "crash-after-answer"
)

// choose selects the cases that try what the preflight does not, as far as the target has it.
func (d *doctor) choose() ([]steps.Case, error) {
	var ids []string
	for _, c := range d.Cases {
		wanted := c.ID == caseTenant || c.ID == caseCrash || c.ID == d.clockCase()
		if wanted && steps.Missing(c, d.target, d.Abilities) == "" {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return steps.Select(d.Cases, ids, nil)
}

// clockCase is the first case that moves the clock; empty where there is none.
func (d *doctor) clockCase() string {
	for _, c := range d.Cases {
		if slices.Contains(c.Needs, targets.NeedClock) && steps.Missing(c, d.target, d.Abilities) == "" {
			return c.ID
		}
	}
	return ""
}

// preflight says what proving the observers has shown, up to the first part that does not work.
func (d *doctor) preflight() []Check {
	p := cmp.Or(d.report.Preflight, &reports.Preflight{Stop: true, Reason: "interrupted"})
	var last *reports.Exchange
	if n := len(d.seen.creates); n > 0 {
		last = &d.seen.creates[n-1]
	}
	reachable := Check{"reachable", Works, d.Endpoint.URL, ""}
	if last == nil && p.Stop || last != nil && last.Status == 0 {
		reachable = Check{"reachable", Unknown, p.Reason, "Start the target, and look at url (and tls, where it is https)."}
	}
	checks := []Check{reachable}
	if last == nil {
		return append(checks, d.observer(p))
	}
	if reachable.State != Works {
		return checks
	}
	return append(append(checks, d.creates(last)...), d.observer(p))
}

func (d *doctor) creates(last *reports.Exchange) []Check {
	authorized := Check{"authorized", Works, "", ""}
	if last.Status == http.StatusUnauthorized || last.Status == http.StatusForbidden {
		return []Check{{"authorized", Broken, statusOf(last), "Give a credential that may create, in headers."}}
	}
	created := Check{"create", Works, statusOf(last), ""}
	if !success(last) {
		created.State, created.Came = Broken, statusOf(last)+" "+last.Content.Text
		created.Remedy = "Send the operation's request by hand until it works; then write it so into operations."
		return []Check{authorized, created}
	}
	id := Check{"record id", Works, last.ID, ""}
	if last.ID == "" {
		path := d.target.Operations[0].ID
		id = Check{"record id", Broken, fmt.Sprintf("the answer holds nothing at %q", path),
			"Say where the id stands in the answer: operations.<name>.id, a JSONPath or header:Location."}
	}
	return []Check{authorized, created, id}
}

// observer: an unused marker counts 0, then 1, then 2.
func (d *doctor) observer(p *reports.Preflight) Check {
	var counts []string
	for _, n := range p.Counts {
		counts = append(counts, fmt.Sprint(n))
	}
	came := "counts " + strings.Join(counts, ", ")
	switch {
	case p.Finding != nil:
		return Check{"observer", Broken, p.Finding.Message, "Let {{event}}, {{payload}} or {{marker}} stand in the body, so that two creates differ; or the target is broken."}
	case p.Trusted && d.report.About.Inferred:
		return Check{"observer", NotDeclared, "the ids in the answers are counted", "Add an observer: a list call, a query, a command or a sink (observers)."}
	case p.Trusted:
		return Check{"observer", Works, came, ""}
	case len(d.seen.counts) == 0 || p.Stop:
		return Check{"observer", Unknown, "not tried: " + p.Reason, ""}
	}
	return Check{"observer", Broken, p.Reason, "Run the observer's call by hand with a marker of a record that exists: it must show that record and no other. Where the list lags behind, give it settle: 2s."}
}

// byCase gives the check that a case decides.
func (d *doctor) byCase(part, id, remedy, declare string) Check {
	i := slices.IndexFunc(d.report.Cases, func(c reports.Case) bool { return c.ID == id })
	if i < 0 || id == "" {
		return Check{part, NotDeclared, "", declare}
	}
	c := d.report.Cases[i]
	check := Check{part, Works, c.Reason, ""}
	switch c.Verdict {
	case reports.Pass:
	case reports.Fail:
		check.State, check.Remedy = Broken, remedy
	default:
		check.State, check.Remedy = Unknown, remedy
	}
	return check
}

func (d *doctor) tenant() Check {
	return d.byCase("second tenant", caseTenant, "The other tenant must see its own records only: give it its own credential (namespaces.other_tenant.headers).",
		"namespaces.other_tenant: enables the cases of isolation")
}

func (d *doctor) deletes() Check {
	switch {
	case d.target.Operations[0].Delete == "":
		return Check{"delete", NotDeclared, "", "operations.<name>.delete: else records remain"}
	case len(d.seen.left) > 0:
		return Check{"delete", Broken, d.seen.left[0], "Look at operations.<name>.delete: its {{id}} is the record's."}
	case d.seen.removed == 0:
		return Check{"delete", Unknown, "nothing was created", ""}
	}
	return Check{"delete", Works, fmt.Sprintf("%d records removed", d.seen.removed), ""}
}

func (d *doctor) clock() Check {
	if d.target.Clock == nil {
		return Check{"clock", NotDeclared, "", "clock: enables the cases of expiry"}
	}
	if d.clockCase() == "" {
		return Check{"clock", NotTried, "no built-in case moves the clock", ""}
	}
	return d.byCase("clock", d.clockCase(), "The clock request must move the time by which keys expire: look at clock.", "")
}

func (d *doctor) crash() Check {
	return d.byCase("crash", caseCrash, "The target must come back on the same data: look at run.", "run: enables the cases of crash and restart")
}

// DoctorExit gives the exit status of an examination: 1 where a part is broken, 3 where one could not be tried.
func DoctorExit(checks []Check) int {
	status := reports.ExitPass
	for _, c := range checks {
		switch c.State {
		case Broken:
			return reports.ExitBroken
		case Unknown:
			status = reports.ExitUntold
		}
	}
	return status
}

// WriteChecks writes an examination for people, a line for each part and below it what to do.
func WriteChecks(w io.Writer, checks []Check) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, c := range checks {
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.Part, c.State, printable(c.Came, 300))
		if c.Remedy != "" {
			fmt.Fprintf(t, "\t\t→ %s\n", c.Remedy)
		}
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("write the examination: %w", err)
	}
	return nil
}
