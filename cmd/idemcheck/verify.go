package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/idempotency-conformance/idemcheck/features"
	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/steps/discover"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// verifyFlags are the flags of `idemcheck verify`.
type verifyFlags struct {
	source
	countIDs    bool
	ask         bool
	yes         bool
	profile     string
	saveProfile string
	saveTarget  string
	patience    time.Duration
	events      string
	reports     []string
}

func verifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Find out in minutes whether a vendor honours the idempotency key, without a target file",
		Long: `Takes the request that creates something (a curl command as the vendor's documentation gives it, or flags) and a way
to count, sends it as networks and users do (again under its key, under another key, with another payload, ten times
at the same moment), counts the records, and ends in one of

  HONOURED         one record for one key, two for two
  PARTLY           with what is missing: concurrency, payload comparison, …
  IGNORED          the same request under the same key made two records
  REFUSED          the vendor rejects the header
  COULD NOT TELL   with what would make it tell

and in the vendor's contract as it was seen. It finds out by itself where a unique text can stand by which the records
are found again. What will be created is announced; for a host that is not this machine it asks first.

Exit status: 0 HONOURED · 1 PARTLY, IGNORED, REFUSED · 2 a mistake in the command · 3 COULD NOT TELL`,
		Example: `  idemcheck verify --curl "curl https://api.vendor.example/v1/orders -H 'Authorization: Bearer $TOKEN' --json '{\"reference\":\"A-1\"}'" \
    --count 'GET https://api.vendor.example/v1/orders?reference={{marker}}' --items '$.data[*]'
  pbpaste | idemcheck verify --count-ids --yes
  idemcheck verify --request 'POST https://api.vendor.example/v1/orders' -H 'X-Api-Key: …' -d '{"note":"{{marker}}"}' --ask`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.source.flags(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.countIDs, "count-ids", false, "count the distinct ids in the answers instead: weaker, at most HONOURED (inferred)")
	fl.BoolVar(&f.ask, "ask", false, "ask what you see in the vendor's web page instead; on a terminal, at most HONOURED (asked)")
	fl.BoolVarP(&f.yes, "yes", "y", false, "create records on a host that is not this machine without asking")
	fl.StringVar(&f.profile, "profile", "", "compare with what is documented: a profile's name or file")
	fl.StringVar(&f.saveProfile, "save-profile", "", "write the contract that was seen as a profile")
	fl.StringVar(&f.saveTarget, "save-target", "", "write a target file for idemcheck run")
	fl.DurationVar(&f.patience, "patience", 5*time.Second, "how long the list may lag behind at most")
	fl.StringVar(&f.events, "events", "", "write the event stream (NDJSON) of the cases to a file")
	fl.StringArrayVar(&f.reports, "report", nil, "write a report of the cases: "+formatNames())
	return cmd
}

func (f *verifyFlags) run(cmd *cobra.Command) error {
	o, err := f.options(cmd)
	if err != nil {
		return err
	}
	person := newTalk(cmd.InOrStdin(), cmd.OutOrStdout())
	o.Ask = person.number
	if err := f.announce(cmd, o, person); err != nil {
		return err
	}
	outputs, err := openOutputs(f.events, f.reports)
	if err != nil {
		return err
	}
	for _, out := range outputs {
		defer out.close()
		if out.sink != nil {
			o.Sinks = append(o.Sinks, out.sink)
		}
	}
	live := screenOf(cmd.ErrOrStderr())
	if live.terminal {
		o.Sinks = append(o.Sinks, reports.Live(cmd.ErrOrStderr(), reports.LiveOptions{Terminal: true, Color: live.color, Width: live.width}))
	}
	result, err := discover.Run(cmd.Context(), o)
	if err != nil {
		return err
	}
	return f.finish(cmd, result, outputs)
}

// options gathers what a verification needs. Everything is checked that can be before anything is sent.
func (f *verifyFlags) options(cmd *cobra.Command) (o discover.Options, err error) {
	strength, err := f.strength(cmd)
	if err != nil {
		return o, err
	}
	draft, err := f.draft(cmd)
	if err != nil {
		return o, err
	}
	var documented *targets.Profile
	if f.profile != "" {
		p, err := targets.ProfileNamed(f.profile, "")
		if err != nil {
			return o, fmt.Errorf("--profile: %w", err)
		}
		documented = &p
	}
	for _, path := range []string{f.saveProfile, f.saveTarget} {
		if err := unwritten(path); err != nil {
			return o, err
		}
	}
	cases, err := steps.Plan(features.FS, features.Paths(), "")
	if err != nil {
		return o, fmt.Errorf("plan the cases: %w", err)
	}
	id, err := runID()
	if err != nil {
		return o, err
	}
	return discover.Options{
		Draft: draft, Strength: strength, Profile: documented, Cases: cases,
		Features: features.FS, Paths: features.Paths(), Env: os.LookupEnv, RunID: id, Now: time.Now, Random: rand.Reader,
		Wait: steps.Rest, Patience: f.patience, Started: reports.RunStarted{Tool: "idemcheck " + version, Command: "idemcheck verify"},
		Open: func(ctx context.Context, t *targets.Target) (*targets.Endpoint, error) { return openURL(ctx, t, nil) },
	}, nil
}

// strength is the one way to count that was asked for.
func (f *verifyFlags) strength(cmd *cobra.Command) (discover.Strength, error) {
	ways := 0
	for _, given := range []bool{f.count != "", f.countIDs, f.ask} {
		if given {
			ways++
		}
	}
	switch {
	case ways == 0:
		return "", errors.New("say how the records are counted: --count 'GET https://…?reference={{marker}}', or --count-ids (weaker), or --ask")
	case ways > 1:
		return "", errors.New("--count, --count-ids and --ask exclude each other")
	case f.patience < 0:
		return "", fmt.Errorf("--patience is %s; it must not be negative", f.patience)
	case f.countIDs:
		return discover.Inferred, nil
	case f.ask && (!isTerminal(cmd.InOrStdin()) || f.curl == "" && f.request == ""):
		return "", errors.New("--ask needs a terminal to ask on; give the request with --curl or --request")
	case f.ask:
		return discover.Asked, nil
	}
	return discover.Counted, nil
}

// announce says what will be created, and asks before touching a host that is not this machine.
func (f *verifyFlags) announce(cmd *cobra.Command, o discover.Options, person *talk) error {
	out := cmd.OutOrStdout()
	requests, records, err := discover.Cost(o)
	if err != nil {
		return err
	}
	o.Draft.Records = records
	for _, g := range o.Draft.Guesses {
		fmt.Fprintf(out, "note: %s\n", g)
	}
	fmt.Fprintf(out, "This sends at most %d requests to %s and creates at most %d records there.\n", requests, o.Draft.URL, records)
	if !o.Draft.Remote || f.yes {
		return nil
	}
	if !isTerminal(cmd.InOrStdin()) || f.curl == "" && f.request == "" {
		return fmt.Errorf("%s is not this machine: give --yes to create records there", o.Draft.URL)
	}
	if !person.yes("Go on?") {
		return errors.New("nothing was sent")
	}
	return nil
}

// finish writes everything that was asked for, and gives the exit status.
func (f *verifyFlags) finish(cmd *cobra.Command, r discover.Result, outputs []*output) error {
	var errs []error
	for _, o := range outputs {
		if o.write != nil && r.Report == nil {
			errs = append(errs, fmt.Errorf("write the %s: no case was run", o.what))
			continue
		}
		var report reports.Report
		if r.Report != nil {
			report = *r.Report
		}
		errs = append(errs, o.finish(report))
	}
	errs = append(errs, discover.Write(cmd.OutOrStdout(), r, screenOf(cmd.OutOrStdout()).width), f.save(r))
	err := errors.Join(errs...)
	status := r.Verdict.Exit()
	if err != nil && status != exitBroken {
		status = exitUnsure
	}
	if status == exitOK {
		return nil
	}
	return &exit{status, err}
}

// save writes the profile and the target file, where there is something to write.
func (f *verifyFlags) save(r discover.Result) error {
	var errs []error
	if f.saveProfile != "" {
		if r.Contract == nil {
			return errors.New("no profile was written: the contract was not seen")
		}
		text, err := discover.ProfileYAML(*r.Contract)
		errs = append(errs, err)
		if err == nil {
			errs = append(errs, writeNew(f.saveProfile, text, 0o600))
		}
	}
	if f.saveTarget != "" {
		if r.Draft == nil {
			return errors.New("no target file was written: no way to tell the records apart was found")
		}
		d := *r.Draft
		d.Records = 0
		if r.Contract == nil || len(r.Contract.Failures.Validation.Mode) == 0 {
			d.Invalid = nil // nobody has seen that it is refused
		}
		if f.saveProfile != "" {
			d.Profile = f.saveProfile
			if rel, err := filepath.Rel(filepath.Dir(f.saveTarget), f.saveProfile); err == nil {
				d.Profile = "./" + filepath.ToSlash(rel)
			}
		}
		text, err := d.YAML()
		errs = append(errs, err)
		if err == nil {
			errs = append(errs, writeNew(f.saveTarget, text, 0o600))
		}
	}
	return errors.Join(errs...)
}

// isTerminal reports whether there is a person to ask.
func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
