package main

import (
	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/scenarios"
)

func scenarioCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "scenario", Short: "Begin scenarios of your own", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "new [FILE]", Short: "Write a scenario file with comments, to standard output or to a new file",
		Example: "  idemcheck scenario new orders.yaml\n  idemcheck lint orders.yaml", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := cmd.OutOrStdout().Write(scenarios.Skeleton)
				return err
			}
			return writeNew(args[0], scenarios.Skeleton, 0o644)
		},
	})
	return cmd
}
