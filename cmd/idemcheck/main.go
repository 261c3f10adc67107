// Command idemcheck finds out whether an API keeps the promise of its idempotency keys, by doing what networks, users
// and crashes do to it and then counting records.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// version is the tool's version; a release build sets it.
var version = "0.1.0-dev"

// The exit statuses, as `idemcheck run --help` explains them.
const (
	exitOK     = 0
	exitBroken = 1
	exitUsage  = 2
	exitUnsure = 3
)

// exit ends the command with a status. The reason was printed already where it is empty.
type exit struct {
	status int
	err    error
}

func (e *exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// errInterrupted is the cause of a context that ^C ended.
var errInterrupted = errors.New("interrupted by the user")

// run is main with everything it touches passed in; it gives the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := interruptible()
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var e *exit
	switch {
	case err == nil:
		return exitOK
	case !errors.As(err, &e):
		e = &exit{exitUsage, err}
	}
	if text := e.Error(); text != "" {
		fmt.Fprintf(stderr, "idemcheck: %s\n", text)
	}
	return e.status
}

// interruptible gives a context that the first ^C (or SIGTERM) ends; a second one ends the process.
func interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
			signal.Stop(signals) // from now on a signal ends the process
			cancel(errInterrupted)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "idemcheck",
		Short: "Finds out whether an API keeps the promise of its idempotency keys, by counting records",
		Long: `idemcheck sends what networks, users and crashes send (the same request again, twice at the same moment,
with another payload, to another tenant), counts the records that exist afterwards, and says for each case
whether exactly the right number was created.

Without a target it checks the reference API that it brings along:

  idemcheck run
  idemcheck run --defect check-then-insert     the same API, broken on purpose
  idemcheck run --target orders.yaml           your own`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())
	})
	root.AddCommand(runCommand(), verifyCommand(), initCommand(), doctorCommand(), listCommand(), explainCommand(), profilesCommand(), stepsCommand(), serveCommand(), schemaCommand(), benchCommand(), reportCommand(), scenarioCommand(), lintCommand(), versionCommand())
	return root
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) { fmt.Fprintf(cmd.OutOrStdout(), "idemcheck %s\n", version) },
	}
}
