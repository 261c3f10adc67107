package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"
	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// runFlags are the flags of `idemcheck run`.
type runFlags struct {
	selection
	ciFlags
	dryRun      bool
	concurrency int
	seed        int64
	timeout     time.Duration
	remote      bool
	strict      bool
	verbose     bool
	technique   string
	sweep       string
	maxWait     time.Duration
	events      string
	reports     []string
	writeKnown  bool
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the cases against a target and count records",
		Long: `Runs the cases against a target and says for each whether exactly the right number of records exists.

Without --target it starts the reference API that it brings along as a child process and checks that.

Exit status:
  0  at least one counted must passed, and no must failed or stayed open
  1  a must is broken (with --strict: or a should)
  2  a mistake in the command or the target file, found before anything was sent
  3  could not tell: unreachable, unauthorized, an observer that cannot be trusted, interrupted`,
		Example: `  idemcheck run
  idemcheck run --only K1,K4 --verbose
  idemcheck run --target orders-staging.yaml --events run.ndjson --report json=report.json
  idemcheck run --target orders-staging.yaml --scenarios my-scenarios/ --no-builtin
  idemcheck run --scenarios builtin:form-to-crm --no-builtin`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.selection.flags(cmd)
	f.ciFlags.flags(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.dryRun, "dry-run", false, "only say what would be run, and what that costs at most; nothing is sent")
	fl.IntVar(&f.concurrency, "concurrency", 4, "quiet cases at once (1 to 64); those that touch the whole target run one by one")
	fl.Int64Var(&f.seed, "seed", 0, "seed of the order of cases; 0 keeps the order of the plan")
	fl.DurationVar(&f.timeout, "timeout", 60*time.Second, "longest time for one case")
	fl.BoolVar(&f.remote, "remote", false, "allow a target that is not on this machine (or set remote: true in its file)")
	fl.BoolVar(&f.strict, "strict", false, "a broken should breaks the run as well")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "show every case in detail, not only those that did not pass")
	fl.StringVar(&f.technique, "technique", "", "force how double sends are released: "+strings.Join(techniqueNames(), ", ")+" (default: the best that the target speaks)")
	_ = cmd.RegisterFlagCompletionFunc("technique", cobra.FixedCompletions(techniqueNames(), cobra.ShellCompDirectiveNoFileComp))
	fl.StringVar(&f.sweep, "sweep", "", "crash points: quick (before the first step and after each, the default) or full (both sides of each)")
	_ = cmd.RegisterFlagCompletionFunc("sweep", cobra.FixedCompletions([]string{"quick", "full"}, cobra.ShellCompDirectiveNoFileComp))
	fl.DurationVar(&f.maxWait, "max-wait", 0, "how long a case may really wait for time to pass, where the target file says clock: wait (default: not at all)")
	fl.StringVar(&f.events, "events", "", "write the event stream (NDJSON) to a file")
	fl.StringArrayVar(&f.reports, "report", nil, "write a report: "+formatNames())
	fl.BoolVar(&f.writeKnown, "write-known", false, "print the entries of known: that the findings of this run would need, to paste into the target file")
	return cmd
}

func (f *runFlags) run(cmd *cobra.Command) error {
	job, err := f.plan(cmd)
	if err != nil || job == nil {
		return err
	}
	defer job.close()
	return job.carryOut(cmd.Context())
}

// job is a run that is ready to start: nothing was sent yet, and all outputs are open.
type job struct {
	*runFlags
	target  *targets.Target
	adapter adapter
	cases   []steps.Case
	outputs []*output
	out     io.Writer
	err     io.Writer
	screen  screen
}

// plan does everything that comes before sending. A nil job means that there is nothing left to do.
func (f *runFlags) plan(cmd *cobra.Command) (*job, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	t, err := f.load()
	if err != nil {
		return nil, err
	}
	if err := t.CheckRemote(f.remote); err != nil {
		return nil, err
	}
	if f.sweep != "" && t.Run != nil && t.Run.CrashPoints != nil {
		t.Run.CrashPoints.Mode = f.sweep
	}
	cases, err := f.casesFor(t)
	if err != nil {
		return nil, err
	}
	if cases, err = f.shard.Split(cases); err != nil {
		return nil, err
	}
	j := &job{runFlags: f, target: t, adapter: adapterFor(t, f.target == ""), cases: cases,
		out: cmd.OutOrStdout(), err: cmd.ErrOrStderr()}
	if j.screen = screenOf(j.out); f.ci {
		f.strict, j.screen = true, screen{width: 100}
	}
	if f.dryRun {
		return nil, printPlan(j.out, t, cases, j.can())
	}
	if err := f.ciOutputs(&f.events, &f.reports); err != nil {
		return nil, err
	}
	if j.outputs, err = openOutputs(f.events, f.reports); err != nil {
		return nil, err
	}
	return j, nil
}

func (f *runFlags) check() error {
	if err := f.ciFlags.check(); err != nil {
		return err
	}
	switch {
	case f.concurrency < 1 || f.concurrency > 64:
		return fmt.Errorf("--concurrency is %d; it goes from 1 to 64", f.concurrency)
	case f.timeout <= 0:
		return fmt.Errorf("--timeout is %s; it must be longer than nothing", f.timeout)
	case f.maxWait < 0:
		return fmt.Errorf("--max-wait is %s; it must not be negative", f.maxWait)
	case f.sweep != "" && f.sweep != "quick" && f.sweep != "full":
		return fmt.Errorf("--sweep %q is neither quick nor full", f.sweep)
	case f.technique != "" && !slices.Contains(techniqueNames(), f.technique):
		return fmt.Errorf("--technique %q is none of %s", f.technique, strings.Join(techniqueNames(), ", "))
	}
	return nil
}

// can says what can be done to the target in this run.
func (j *job) can() steps.Abilities {
	a := j.adapter.can(j.target)
	a.MaxWait = j.maxWait
	return a
}

// carryOut opens the target, runs the cases and writes every report, whatever happens on the way.
func (j *job) carryOut(ctx context.Context) (err error) {
	id, err := runID()
	if err != nil {
		return err
	}
	folder, remove := newFolder()
	defer remove()
	stream := reports.NewStream(id, j.shard.String(), nil, j.sinks(folder)...)
	stream.Redact(j.target.Secrets.Redact)
	if j.target.File == "" || j.runFlags.target == "" {
		fmt.Fprintln(j.out, "This is the embedded reference target: no --target was given.")
	}
	endpoint, openErr := j.adapter.open(ctx, j.target, &j.selection)
	defer func() {
		if closeErr := endpoint.Close(); closeErr != nil && err == nil {
			err = &exit{exitUnsure, fmt.Errorf("close the target: %w", closeErr)}
		}
	}()
	blocked := ""
	if openErr != nil {
		blocked = openErr.Error()
		if endpoint == nil {
			endpoint = &targets.Endpoint{URL: j.target.URL}
		}
		endpoint.Target = j.target
	}
	err = steps.Run(ctx, steps.Options{
		Features: j.library, Paths: j.library.Paths(), Cases: j.cases, Endpoint: endpoint, Abilities: j.can(), Blocked: blocked,
		Stream: stream, Folder: folder, RunID: id, Now: time.Now, Random: rand.Reader, Concurrency: j.concurrency,
		Seed: j.seed, CaseTimeout: j.timeout, Wait: steps.Rest, Started: j.started(endpoint),
		Technique: burst.Technique(j.technique),
	})
	return j.finish(folder.Report(), err)
}

func (j *job) started(e *targets.Endpoint) reports.RunStarted {
	return reports.RunStarted{
		Tool: "idemcheck " + version, Target: j.target.Name, TargetFile: j.runFlags.target, About: e.About,
		URL: j.target.Secrets.RedactURL(e.URL), Embedded: j.runFlags.target == "", Profile: j.target.Profile.Name,
		Seed: j.seed, Strict: j.strict, Command: j.again(), Shard: j.shard.String(), Group: j.group,
	}
}

// again gives the command that runs the same target again.
func (j *job) again() string {
	words := []string{"idemcheck", "run"}
	if j.runFlags.target != "" {
		words = append(words, "--target", j.runFlags.target)
	}
	for _, d := range j.defects {
		words = append(words, "--defect", d)
	}
	for _, source := range j.scenarios {
		words = append(words, "--scenarios", shellescape.Quote(source))
	}
	if j.noBuiltin {
		words = append(words, "--no-builtin")
	}
	if j.remote {
		words = append(words, "--remote")
	}
	if j.sweep != "" {
		words = append(words, "--sweep", j.sweep)
	}
	if j.maxWait > 0 {
		words = append(words, "--max-wait", j.maxWait.String())
	}
	return strings.Join(words, " ")
}

func (j *job) sinks(folder *reports.Folder) []reports.Sink {
	list := []reports.Sink{folder}
	for _, o := range j.outputs {
		if o.sink != nil {
			list = append(list, o.sink)
		}
	}
	live := screenOf(j.err)
	if j.ci {
		live = j.screen
	}
	return append(list, reports.Live(j.err, reports.LiveOptions{Quiet: j.ci, Terminal: live.terminal, Color: live.color, Width: live.width}))
}

// finish writes the reports and gives the exit status.
func (j *job) finish(r reports.Report, runErr error) error {
	errs := []error{runErr, reports.Console(j.out, r, reports.ConsoleOptions{
		Color: j.screen.color, Width: j.screen.width, Verbose: j.verbose,
		Announced: j.screen.terminal && screenOf(j.err).terminal})}
	if j.writeKnown {
		fmt.Fprintln(j.out)
		errs = append(errs, reports.WriteKnown(j.out, r))
	}
	for _, o := range j.outputs {
		errs = append(errs, o.finish(r))
	}
	return exitOf(r, errors.Join(append(errs, j.tellGitHub(j.out, r))...))
}

func (j *job) close() {
	for _, o := range j.outputs {
		o.close()
	}
}

// runID makes the name of a run, which stands in every marker: six hexadecimal digits.
func runID() (string, error) {
	b := make([]byte, 3)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("name the run: %w", err)
	}
	return hex.EncodeToString(b), nil
}

// techniqueNames lists what --technique takes.
func techniqueNames() []string {
	var names []string
	for _, t := range burst.Techniques() {
		names = append(names, string(t))
	}
	return names
}
