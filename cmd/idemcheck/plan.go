package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/targets"
)

func listCommand() *cobra.Command {
	var s selection
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the cases, and which of them a target can be checked for", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all {
				s.scenarios = append(s.scenarios, builtinScenarios+"all")
			}
			t, err := s.load()
			if err != nil {
				return err
			}
			cases, err := s.cases()
			if err != nil {
				return err
			}
			return printPlan(cmd.OutOrStdout(), t, cases, adapterFor(t, s.target == "").can(t))
		},
	}
	s.flags(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "with the built-in YAML scenarios, which run only when --scenarios asks for them")
	return cmd
}

// printPlan lists the cases in order, and says what a run costs at most. Nothing is sent.
func printPlan(out io.Writer, t *targets.Target, cases []steps.Case, can steps.Abilities) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "id\tlevel\twhat it proves")
	skipped := 0
	cases = slices.DeleteFunc(slices.Clone(cases), func(c steps.Case) bool { return c.Elsewhere })
	for _, c := range cases {
		title := c.Title
		if why := steps.Missing(c, t, can); why != "" {
			title += " (not applicable: " + why + ")"
			skipped++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.ID, c.Level, title)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the plan: %w", err)
	}
	requests, records := steps.Costs(cases, t, can)
	_, err := fmt.Fprintf(out, "\n%d cases for %s, %d of them not applicable. A run sends about %d requests and creates at most %d records.\n",
		len(cases), t.Name, skipped, requests, records)
	return err
}

func explainCommand() *cobra.Command {
	var s selection
	var profile string
	cmd := &cobra.Command{
		Use: "explain ID", Short: "Explain a case: what it proves, why, its source, and what is permitted; or a profile",
		Args: func(cmd *cobra.Command, args []string) error {
			if profile != "" {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		ValidArgsFunction: completeCases,
		RunE: func(cmd *cobra.Command, args []string) error {
			if profile != "" {
				p, err := targets.ProfileNamed(profile, ".")
				if err != nil {
					return err
				}
				explainProfile(cmd.OutOrStdout(), p)
				return nil
			}
			s.only = args
			t, err := s.load()
			if err != nil {
				return err
			}
			cases, err := s.cases()
			if err != nil {
				return err
			}
			can := adapterFor(t, s.target == "").can(t)
			for i, c := range chosen(cases, args[0]) {
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				explain(cmd.OutOrStdout(), c, t, can)
			}
			return nil
		},
	}
	s.scenarioFlags(cmd)
	cmd.Flags().StringVarP(&s.target, "target", "t", "", "explain it for this target file (default: the embedded reference API)")
	cmd.Flags().StringVar(&profile, "profile", "", "explain this profile, and no case: a name that profiles lists, or a file")
	cmd.MarkFlagsMutuallyExclusive("target", "profile")
	return cmd
}

// chosen drops the cases that came along only because a chosen one stands on them.
func chosen(cases []steps.Case, glob string) []steps.Case {
	list, err := steps.Select(cases, []string{glob}, nil)
	if err != nil {
		return cases
	}
	var out []steps.Case
	for _, c := range list {
		if one, err := steps.Select([]steps.Case{c}, []string{glob}, nil); err == nil {
			out = append(out, one...)
		}
	}
	return out
}

func explain(w io.Writer, c steps.Case, t *targets.Target, can steps.Abilities) {
	fmt.Fprintf(w, "%s: %s\n", c.ID, c.Title)
	for _, text := range []string{c.About, c.Why} {
		if text != "" {
			fmt.Fprintf(w, "\n%s\n", indent(text))
		}
	}
	fmt.Fprintf(w, "\nlevel:   %s\nin:      %s:%d\n", c.Level, c.URI, c.Line)
	if c.After != "" {
		fmt.Fprintf(w, "stands on: %s\n", c.After)
	}
	for _, src := range c.Source {
		fmt.Fprintf(w, "source:  %s\n", src)
	}
	if missing := steps.Missing(c, t, can); missing != "" {
		fmt.Fprintf(w, "%s: not applicable: %s\n", t.Name, missing)
	}
	fmt.Fprintf(w, "costs:   at most %d requests and %d records\n", c.Requests, c.Records)
	fmt.Fprintln(w, "\nsteps:")
	for _, s := range c.Steps {
		fmt.Fprintf(w, "  %s\n", s)
	}
	for _, p := range steps.Permits(c, t) {
		fmt.Fprintf(w, "\npermitted for %s (profile %s):\n  %s\n", p.Situation, orNone(t.Profile.Name), p.Text)
	}
}

func indent(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = "  " + strings.TrimSpace(l)
	}
	return strings.Join(lines, "\n")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
