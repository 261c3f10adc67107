package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/scenarios"
	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// schemas lists every published JSON Schema.
var schemas = map[string]func() ([]byte, error){
	"report":   fixed(reports.ReportSchema),
	"event":    fixed(reports.EventSchema),
	"target":   fixed(targets.TargetSchema),
	"profile":  fixed(targets.ProfileSchema),
	"scenario": func() ([]byte, error) { return scenarios.Schema(steps.Verbs()) },
}

func fixed(schema func() []byte) func() ([]byte, error) {
	return func() ([]byte, error) { return schema(), nil }
}

func schemaCommand() *cobra.Command {
	names := slices.Sorted(maps.Keys(schemas))
	return &cobra.Command{
		Use: "schema " + strings.Join(names, "|"), Short: "Print a JSON Schema: of a file that you write, or of one that idemcheck writes",
		ValidArgs: names, Args: cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			schema, err := schemas[args[0]]()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(schema)
			return err
		},
	}
}
