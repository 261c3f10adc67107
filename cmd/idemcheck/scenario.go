package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

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
			return writeNew(args[0], scenarios.Skeleton)
		},
	})
	return cmd
}

// writeNew writes a file that does not exist yet.
func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write %s: there is such a file already, and it is left as it is", path)
	}
	if err != nil {
		return fmt.Errorf("write the scenario file: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the scenario file: %w", err)
	}
	return nil
}
