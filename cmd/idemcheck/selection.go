package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/features"
	"github.com/idempotency-conformance/idemcheck/scenarios"
	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/reference"
)

// selection is which target, and which of the cases.
type selection struct {
	target  string
	defects []string
	only    []string
	skip    []string
	tags    string

	scenarios []string
	noBuiltin bool
	library   *library // once the cases were planned
}

func (s *selection) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&s.target, "target", "t", "", "target file (default: the embedded reference API)")
	f.StringSliceVar(&s.defects, "defect", nil, "break the embedded reference API in this way (idemcheck serve --defects lists them)")
	f.StringSliceVar(&s.only, "only", nil, "only the cases whose id matches a glob, with those they stand on (K1, 'replay-*')")
	f.StringSliceVar(&s.skip, "skip", nil, "not the cases whose id matches a glob")
	s.scenarioFlags(cmd)
	f.StringVar(&s.tags, "tags", "", "only the cases whose tags match, as godog reads them ('@must && ~@concurrency')")
	_ = cmd.MarkFlagFilename("target", "yaml", "yml")
	_ = cmd.RegisterFlagCompletionFunc("only", completeCases)
	_ = cmd.RegisterFlagCompletionFunc("skip", completeCases)
	_ = cmd.RegisterFlagCompletionFunc("defect", completeDefects)
}

// scenarioFlags are the flags by which a user's own scenarios are added.
func (s *selection) scenarioFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&s.scenarios, "scenarios", nil, "add scenarios: a .feature or .yaml file, a folder of them, or builtin:NAME ("+
		strings.Join(scenarios.Builtins(), ", ")+", all)")
	cmd.Flags().BoolVar(&s.noBuiltin, "no-builtin", false, "only the scenarios that --scenarios adds, with those they stand on")
	_ = cmd.RegisterFlagCompletionFunc("scenarios", completeScenarios)
}

func completeScenarios(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, name := range scenarios.Builtins() {
		names = append(names, builtinScenarios+name)
	}
	return names, cobra.ShellCompDirectiveDefault
}

// embeddedTarget is the name of the example that describes the embedded reference API.
const embeddedTarget = "reference"

// referenceURL is the variable by which that example is told where the API is.
const referenceURL = "IDEMCHECK_REFERENCE_URL"

// load reads the target file, or the example that describes the embedded API.
func (s *selection) load() (*targets.Target, error) {
	if s.target != "" {
		if len(s.defects) > 0 {
			return nil, errors.New("--defect breaks the embedded reference API; it does nothing to --target")
		}
		return targets.Load(s.target, os.LookupEnv)
	}
	if err := reference.CheckDefects(s.defects); err != nil {
		return nil, err
	}
	return embedded()
}

func embedded() (*targets.Target, error) {
	data, err := targets.Example(embeddedTarget)
	if err != nil {
		return nil, err
	}
	// Whatever the user's environment says, this target is started by us on a port of ours.
	return targets.Parse(embeddedTarget+".yaml", data, func(name string) (string, bool) {
		return "http://127.0.0.1:1", name == referenceURL
	})
}

// cases plans all scenarios and selects among them. An empty selection is an error.
func (s *selection) cases() ([]steps.Case, error) {
	if s.noBuiltin && len(s.scenarios) == 0 {
		return nil, errors.New("--no-builtin leaves no case without --scenarios")
	}
	var err error
	if s.library, err = openLibrary(s.scenarios); err != nil {
		return nil, err
	}
	all, err := s.library.plan(s.tags)
	if err != nil {
		return nil, fmt.Errorf("plan the cases: %w", err)
	}
	chosen, err := steps.Select(all, s.only, s.skip)
	if err != nil {
		return nil, err
	}
	if s.noBuiltin {
		chosen = s.library.own(chosen)
	}
	if len(chosen) == 0 {
		return nil, errors.New("no case is selected (see --only, --skip and --tags)")
	}
	return chosen, nil
}

// casesFor gives the cases to run against a target, once the target's known failures were held against all there are.
func (s *selection) casesFor(t *targets.Target) ([]steps.Case, error) {
	all, err := steps.Plan(features.FS, features.Paths(), "")
	if err != nil {
		return nil, fmt.Errorf("plan the cases: %w", err)
	}
	if err := steps.CheckKnown(t, all); err != nil {
		return nil, err
	}
	return s.cases()
}

func completeCases(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	all, _ := steps.Plan(features.FS, features.Paths(), "")
	var ids []string
	for _, c := range all {
		ids = append(ids, c.ID+"\t"+c.Title)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
