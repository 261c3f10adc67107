package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/reports"
)

func reportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "report", Short: "Write reports of an earlier run, join the shards of one, or compare runs", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(renderCommand(), mergeCommand(), compareCommand())
	return cmd
}

func renderCommand() *cobra.Command {
	var list []string
	cmd := &cobra.Command{
		Use:   "render EVENTS",
		Short: "Write reports from the event stream of an earlier run",
		Long: `Reads an event stream (run --events FILE) and writes reports of it. Every report is a function of the events, so this
gives what the run itself would have written. A stream without its end is an incomplete run, and says so.`,
		Example: "  idemcheck report render run.ndjson --report html=report.html --report junit=junit.xml",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			debug.SetGCPercent(reportGarbage)
			r, file, err := readReport(args[0])
			if err != nil {
				return err
			}
			defer file.Close()
			if len(list) == 0 {
				return reports.Console(cmd.OutOrStdout(), r, reports.ConsoleOptions{Width: screenOf(cmd.OutOrStdout()).width, Color: screenOf(cmd.OutOrStdout()).color})
			}
			outputs, err := openOutputs("", list)
			if err != nil {
				return err
			}
			var errs []error
			for _, o := range outputs {
				errs = append(errs, o.finish(r))
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().StringArrayVar(&list, "report", nil, "write a report: "+formatNames()+"; without one it is printed")
	return cmd
}

func compareCommand() *cobra.Command {
	page := ""
	cmd := &cobra.Command{
		Use:   "compare RUN RUN…",
		Short: "Compare runs case by case: what broke, what was fixed, where targets differ",
		Long:  "Reads event streams or JSON reports and prints a Markdown matrix of runs and cases; with --html it is written as a page as well.",
		Example: `  idemcheck report compare before.ndjson after.ndjson
  idemcheck report compare orders.json vendor-a.json vendor-b.json --html comparison.html`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var runs []reports.Report
			for _, path := range args {
				r, file, err := readReport(path)
				if err != nil {
					return err
				}
				defer file.Close()
				runs = append(runs, r)
			}
			c := reports.Compare(runs)
			return errors.Join(reports.CompareMarkdown(cmd.OutOrStdout(), c), writePage(page, c))
		},
	}
	cmd.Flags().StringVar(&page, "html", "", "write the comparison as a page (HTML) to a file")
	return cmd
}

// writePage writes a comparison as HTML; an empty path asks for none.
func writePage(path string, c reports.Comparison) error {
	if path == "" {
		return nil
	}
	f, err := create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(reports.CompareHTML(f, c), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// reportGarbage is how much garbage, in percent of what is used, is let lie while earlier runs are read: a report of a
// large run holds all of it, and so takes half as much again and not twice.
const reportGarbage = 50

// readReport reads a run from its event stream or from its JSON report. The file is to be closed when all reports of the
// run are written: it holds the evidence of its cases.
func readReport(path string) (r reports.Report, file io.Closer, err error) {
	f, err := os.Open(path)
	if err != nil {
		return r, nil, fmt.Errorf("read the run: %w", err)
	}
	defer func() {
		if err != nil {
			_ = f.Close() // nothing was written to it
		}
	}()
	if r, ok := jsonReport(f); ok {
		return r, f, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return r, nil, fmt.Errorf("read the run: %w", err)
	}
	r, some, err := reports.FoldFile(f)
	if err != nil {
		return r, nil, fmt.Errorf("read %s: it is neither a JSON report nor an event stream: %w", path, err)
	}
	if !some {
		return r, nil, fmt.Errorf("read %s: it holds no event", path)
	}
	return r, f, nil
}

// jsonReport reads a JSON report; false when the file is none.
func jsonReport(r io.Reader) (reports.Report, bool) {
	var out reports.Report
	dec := json.NewDecoder(r)
	if err := dec.Decode(&out); err != nil || dec.More() || out.V == 0 || out.Cases == nil {
		return out, false
	}
	return out, true
}
