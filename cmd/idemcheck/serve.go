package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/reference"
)

// serveFlags are the flags of `idemcheck serve`.
type serveFlags struct {
	addr      string
	data      string
	defects   []string
	list      bool
	switches  bool
	retention time.Duration
	lease     time.Duration
	profile   string
	target    bool
}

func serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the reference API alone: a small task service that keeps its promise, or breaks it on purpose",
		Long: `Runs the reference API that idemcheck brings along: an internal-CRM task service with an idempotency ledger, on
SQLite. It is correct; each --defect breaks it in one known way. With --profile it stands in for a vendor: it takes the key where
that vendor does, and answers as the vendor documents.

Test it by hand:

  curl -i -X POST http://127.0.0.1:8080/v1/approvals -H 'Authorization: Bearer reference-t1' \
    -H 'Content-Type: application/json' -d '{"event":"E1","account":"A18"}'
  curl -i -X POST http://127.0.0.1:8080/v1/tasks -H 'Authorization: Bearer reference-t1' -H 'Idempotency-Key: "k1"' \
    -H 'Content-Type: application/json' -d '{"event":"E1","account":"A18","revision":"P1","note":"Call them"}'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.list {
				return listDefects(cmd)
			}
			if f.target {
				return printStandInTarget(cmd, f)
			}
			return serve(cmd, f)
		},
	}
	cmd.Flags().StringVar(&f.addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 picks a free one")
	cmd.Flags().StringVar(&f.data, "data", "", "SQLite file, kept afterwards (default: a temporary one, removed at the end)")
	cmd.Flags().StringSliceVar(&f.defects, "defect", nil, "break it in this way; may be given more than once")
	cmd.Flags().BoolVar(&f.list, "defects", false, "list the defects and end")
	cmd.Flags().BoolVar(&f.switches, "test-switches", false, "obey the Test-* headers (slow, fail, refuse) and /admin/clock")
	cmd.Flags().DurationVar(&f.lease, "lease", 2*time.Second, "how long the claim of an owner that is gone holds a key")
	cmd.Flags().DurationVar(&f.retention, "retention", 24*time.Hour, "how long keys are kept")
	cmd.Flags().StringVar(&f.profile, "profile", "", "behave as the owner of this profile documents (adyen, xero, …, or a path)")
	cmd.Flags().BoolVar(&f.target, "print-target", false, "print the target file that goes with --profile, and end")
	_ = cmd.RegisterFlagCompletionFunc("defect", completeDefects)
	_ = cmd.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions(targets.ProfileNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func serve(cmd *cobra.Command, f serveFlags) (err error) {
	as, err := profileServed(f)
	if err != nil {
		return err
	}
	if f.data == "" {
		dir, err := os.MkdirTemp("", "idemcheck-serve-")
		if err != nil {
			return fmt.Errorf("make a directory for the data: %w", err)
		}
		defer os.RemoveAll(dir)
		f.data = filepath.Join(dir, "reference.db")
	}
	s, err := reference.New(reference.Options{
		Path: f.data, Defects: f.defects, TestSwitches: f.switches, Retention: f.retention, Lease: f.lease,
		Profile: as,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", f.addr, err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "the reference API of idemcheck listens on http://%s (data: %s)\n", l.Addr(), f.data)
	if as != nil {
		fmt.Fprintf(cmd.OutOrStdout(), "it stands in for %s; its target file: idemcheck serve --profile %s --addr %s --print-target\n", as.Title, f.profile, l.Addr())
	}
	for _, d := range f.defects {
		fmt.Fprintf(cmd.OutOrStdout(), "broken on purpose: %s\n", d)
	}
	return s.Serve(cmd.Context(), l)
}

func listDefects(cmd *cobra.Command) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "defect\tclass\twhat it does")
	for _, d := range reference.Defects() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", d.Name, d.Class, d.Summary)
	}
	return w.Flush()
}

func completeDefects(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, d := range reference.Defects() {
		names = append(names, d.Name+"\t"+d.Summary)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
