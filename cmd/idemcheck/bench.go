package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// benchWindows are the widths of the check-then-insert window that are tried, as the defect takes them.
var benchWindows = []string{"0", "50us", "200us", "1ms"}

// benchFlags are the flags of `idemcheck bench race`.
type benchFlags struct {
	rounds  int
	workers int
	target  string
	remote  bool
}

func benchCommand() *cobra.Command {
	var f benchFlags
	race := &cobra.Command{
		Use:   "race",
		Short: "Show how narrow a race this machine can find",
		Long: `Starts the reference API with a check-then-insert race of several widths, sends double sends at it, and prints in
what share of the rounds the race was found. A window that is found here in every few rounds is found by a run, which
sends 20 rounds of ten, on a target on this machine. What the network adds is said in each report ("could have resolved").`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.target != "" {
				return f.raceTarget(cmd)
			}
			return f.race(cmd.Context(), cmd.OutOrStdout())
		},
	}
	race.Flags().StringVarP(&f.target, "target", "t", "", "instead, run double-send[10] against this target file and show what its rounds could have resolved")
	race.Flags().BoolVar(&f.remote, "remote", false, "allow a target that is not on this machine")
	race.Flags().IntVar(&f.rounds, "rounds", 100, "rounds for each window (1 to 1000)")
	race.Flags().IntVar(&f.workers, "workers", 10, "sends in each round (2 to 200)")
	bench := &cobra.Command{Use: "bench", Short: "Measure what this machine can do", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	bench.AddCommand(race)
	return bench
}

func (f benchFlags) race(ctx context.Context, out io.Writer) error {
	if f.rounds < 1 || f.rounds > 1000 || f.workers < 2 || f.workers > 200 {
		return errors.New("--rounds goes from 1 to 1000 and --workers from 2 to 200")
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "window\tfound in\tsend spread (median)\ttechnique\n")
	for _, window := range benchWindows {
		found, spread, technique, err := f.raceWindow(ctx, window)
		if err != nil {
			return &exit{exitUnsure, fmt.Errorf("race a window of %s: %w", window, err)}
		}
		fmt.Fprintf(w, "%s\t%d of %d rounds (%d %%)\t%s\t%s\n", window, found, f.rounds, 100*found/f.rounds, spread.Round(time.Microsecond), technique)
	}
	return w.Flush()
}

// raceTarget runs the rounds of ten against a target of the user's. Nobody can open a window of a known width there, so
// that what the rounds could have resolved is computed from the measured release.
func (f benchFlags) raceTarget(cmd *cobra.Command) error {
	r := runFlags{
		selection:   selection{target: f.target, only: []string{"double-send[10]"}},
		concurrency: 1, timeout: time.Minute, remote: f.remote, verbose: true,
	}
	return r.run(cmd)
}

// raceWindow runs all rounds against one width of the window.
func (f benchFlags) raceWindow(ctx context.Context, window string) (found int, spread time.Duration, technique string, err error) {
	t, err := embedded()
	if err != nil {
		return 0, 0, "", err
	}
	e, err := openEmbedded(ctx, t, &selection{defects: []string{"check-then-insert=" + window}})
	if err != nil {
		return 0, 0, "", err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	var spreads []time.Duration
	for range f.rounds {
		if ctx.Err() != nil {
			return found, 0, technique, context.Cause(ctx)
		}
		b, err := f.raceRound(ctx, e)
		if err != nil {
			return found, 0, technique, err
		}
		if distinct(e.Target, b) > 1 {
			found++
		}
		spreads, technique = append(spreads, b.Spread), b.Technique.Words()
	}
	slices.Sort(spreads)
	return found, spreads[len(spreads)/2], technique, nil
}

// raceRound sends one double send of a fresh, approved operation.
func (f benchFlags) raceRound(ctx context.Context, e *targets.Endpoint) (burst.Burst, error) {
	id, err := uuid.NewRandomFromReader(rand.Reader)
	if err != nil {
		return burst.Burst{}, fmt.Errorf("make a key: %w", err)
	}
	vars := targets.Vars{"event": id.String(), "target_record": "A18", "revision": "P1", "payload": "race", "marker": id.String()}
	approval, err := e.Target.Approve.Build(e.URL, e.Target.Headers, vars)
	if err != nil {
		return burst.Burst{}, err
	}
	if x := e.Sender.Send(ctx, approval); !x.Succeeded() {
		return burst.Burst{}, fmt.Errorf("approve the event: status %d %s", x.Status, x.Err)
	}
	attempt, err := e.Target.Operations[0].Build(e.URL, e.Target.Headers, vars)
	if err != nil {
		return burst.Burst{}, err
	}
	if err := targets.Place(e.Target.Profile.Key, id.String(), &attempt); err != nil {
		return burst.Burst{}, err
	}
	attempt.Operation = e.Target.Operations[0].Name
	return burst.Send(ctx, e.Sender, slices.Repeat([]targets.Attempt{attempt}, f.workers), burst.Options{}), nil
}

// distinct counts the records that the successful answers of a burst name.
func distinct(t *targets.Target, b burst.Burst) int {
	ids := map[string]bool{}
	for _, x := range b.Exchanges {
		if id := t.Operations[0].RecordID(x); x.Succeeded() && id != "" {
			ids[id] = true
		}
	}
	return len(ids)
}
