package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/features"
	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/steps/discover"
	"github.com/idempotency-conformance/idemcheck/targets"
)

func doctorCommand() *cobra.Command {
	var s selection
	var remote bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Try each part of a target file, and say what to do about what does not work",
		Long: `Tries each part of a target file: whether the target is reachable and authorized, the create works, its id is found,
the observer counts 1 and then 2; and, where the file speaks of them, whether the second tenant is separate, a record is
deleted, the clock moves, and the target comes back from a crash. It creates a few records, and removes them if it can.

Exit status: 0 everything that is declared works · 1 a part is broken · 2 a mistake in the file · 3 could not tell`,
		Example: "  idemcheck doctor --target orders.yaml",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return examine(cmd, &s, remote) },
	}
	cmd.Flags().StringVarP(&s.target, "target", "t", "", "target file (default: the embedded reference API)")
	cmd.Flags().BoolVar(&remote, "remote", false, "allow a target that is not on this machine (or set remote: true in its file)")
	_ = cmd.MarkFlagFilename("target", "yaml", "yml")
	return cmd
}

func examine(cmd *cobra.Command, s *selection, remote bool) (err error) {
	t, err := s.load()
	if err != nil {
		return err
	}
	if err := t.CheckRemote(remote); err != nil {
		return err
	}
	cases, err := steps.Plan(features.FS, features.Paths(), "")
	if err != nil {
		return fmt.Errorf("plan the cases: %w", err)
	}
	id, err := runID()
	if err != nil {
		return err
	}
	a := adapterFor(t, s.target == "")
	endpoint, openErr := a.open(cmd.Context(), t, s)
	defer func() { err = errors.Join(err, endpoint.Close()) }()
	blocked := ""
	if openErr != nil {
		blocked = openErr.Error()
		if endpoint == nil {
			endpoint = &targets.Endpoint{URL: t.URL}
		}
		endpoint.Target = t
	}
	checks, err := discover.Doctor(cmd.Context(), discover.DoctorOptions{
		Endpoint: endpoint, Abilities: a.can(t), Blocked: blocked, Cases: cases, Features: features.FS, Paths: features.Paths(),
		RunID: id, Now: time.Now, Random: rand.Reader, Wait: steps.Rest,
	})
	err = errors.Join(err, discover.WriteChecks(cmd.OutOrStdout(), checks))
	status := discover.DoctorExit(checks)
	if err != nil && status != exitBroken {
		status = exitUnsure
	}
	if status == exitOK {
		return nil
	}
	return &exit{status, err}
}
