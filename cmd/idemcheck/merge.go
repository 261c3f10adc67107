package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/reports"
)

// mergeFlags are the flags of `idemcheck report merge`.
type mergeFlags struct {
	ci      bool
	events  string
	reports []string
}

func mergeCommand() *cobra.Command {
	var f mergeFlags
	cmd := &cobra.Command{
		Use:   "merge EVENTS…",
		Short: "Join the event streams of the shards of one run, and report the whole",
		Long: `Reads the event streams of all shards of one run (run --shard i/n --events FILE) and reports the whole, with the
addresses, levels and verdicts of a run that was not split. A case that several shards have run counts once, with its
worst verdict. Shards of different runs, targets or plans are refused; one that is missing or was cut off is named, and
then nothing can be told: exit 3.

The exit status is that of the whole run (idemcheck run --help).`,
		Example: `  idemcheck report merge idemcheck-report/events-*.ndjson --report html=report.html
  idemcheck report merge *.ndjson --events whole.ndjson`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.merge(cmd, args) },
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.reports, "report", nil, "write a report: "+formatNames()+"; it is printed as well")
	fl.StringVar(&f.events, "events", "", "write the event stream of the whole (NDJSON) to a file")
	fl.BoolVar(&f.ci, "ci", false, "for CI: writes everything to "+ciFolder+"/, on GitHub also annotations and the step summary")
	return cmd
}

func (f *mergeFlags) merge(cmd *cobra.Command, args []string) error {
	events, err := readShards(args)
	if err != nil {
		return err
	}
	ci := ciFlags{ci: f.ci}
	if err := ci.ciOutputs(&f.events, &f.reports); err != nil {
		return err
	}
	outputs, err := openOutputs(f.events, f.reports)
	if err != nil {
		return err
	}
	r := reports.Fold(events)
	s := screenOf(cmd.OutOrStdout())
	if f.ci {
		s = screen{width: 100}
	}
	errs := []error{reports.Console(cmd.OutOrStdout(), r, reports.ConsoleOptions{Color: s.color, Width: s.width})}
	for _, o := range outputs {
		for i := 0; o.sink != nil && i < len(events); i++ {
			errs = append(errs, o.sink.Event(events[i]))
		}
		errs = append(errs, o.finish(r))
	}
	errs = append(errs, ci.tellGitHub(cmd.OutOrStdout(), r))
	return exitOf(r, errors.Join(errs...))
}

// exitOf gives the exit status of a run. What could not be written does not hide the verdict: it is said, and the run
// counts as one that could not tell, unless something is broken.
func exitOf(r reports.Report, err error) error {
	status := r.Outcome.Exit
	if err != nil && status != exitBroken {
		status = exitUnsure
	}
	if status == exitOK {
		return nil
	}
	return &exit{status, err}
}

// readShards reads and merges event streams. A pattern that no shell has expanded is expanded here.
func readShards(patterns []string) ([]reports.Event, error) {
	var shards []reports.ShardEvents
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			paths = []string{pattern}
		}
		for _, path := range paths {
			events, err := readEvents(path)
			if err != nil {
				return nil, err
			}
			shards = append(shards, reports.ShardEvents{Name: path, Events: events})
		}
	}
	return reports.Merge(shards)
}

func readEvents(path string) ([]reports.Event, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the run: %w", err)
	}
	defer f.Close()
	events, err := reports.ReadEvents(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: it is no event stream: %w", path, err)
	}
	return events, nil
}
