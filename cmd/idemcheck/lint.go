package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/scenarios"
	"github.com/idempotency-conformance/idemcheck/steps"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// problem is something that lint has found: a mistake, or a warning.
type problem struct {
	file         string
	line, column int // 0: not known
	text         string
	warning      bool
}

func lintCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "lint FILE...", Short: "Check target files, profiles, scenarios and features for mistakes; nothing is sent",
		Long: `Checks target files, profiles, YAML scenarios and features, each by what stands in it. A folder stands for all
.yaml, .yml and .feature files below it. A mistake is named with file, line and column, what was expected, and the nearest
known name. Ids of scenarios must be unique over all files and the built-in ones.

Exit status 2 if there is a mistake; warnings alone are 0.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, known := lintFormats[format]
			if !known {
				return fmt.Errorf("--format %q is neither text nor github", format)
			}
			problems, err := lint(args)
			if err != nil {
				return err
			}
			for _, p := range problems {
				write(cmd.OutOrStdout(), p)
			}
			return verdictOf(problems)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, or github for annotations of a workflow")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "github"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// verdictOf gives the exit status: a mistake is one of configuration.
func verdictOf(problems []problem) error {
	n := 0
	for _, p := range problems {
		if !p.warning {
			n++
		}
	}
	switch n {
	case 0:
		return nil
	case 1:
		return errors.New("1 mistake")
	}
	return fmt.Errorf("%d mistakes", n)
}

var lintFormats = map[string]func(io.Writer, problem){"text": lintText, "github": lintGitHub}

func lintText(w io.Writer, p problem) {
	where := p.file
	for _, n := range []int{p.line, p.column} {
		if n > 0 {
			where += ":" + strconv.Itoa(n)
		}
	}
	if p.warning {
		where += ": warning"
	}
	fmt.Fprintf(w, "%s: %s\n", where, p.text)
}

// lintGitHub writes a workflow command. Its own characters are escaped, or a file could write further commands.
func lintGitHub(w io.Writer, p problem) {
	command := "error"
	if p.warning {
		command = "warning"
	}
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	fmt.Fprintf(w, "::%s file=%s,line=%d,col=%d,title=idemcheck lint::%s\n", command, property.Replace(p.file), max(p.line, 1),
		max(p.column, 1), message.Replace(p.text))
}

// The kinds of files that lint knows.
const (
	kindFeature  = "feature"
	kindScenario = "scenario"
	kindTarget   = "target"
	kindProfile  = "profile"
)

var topLevel = regexp.MustCompile(`(?m)^([A-Za-z_]+)\s*:`)

// kindOfFile tells what a file is by its ending, and a YAML file by the names at its top. It looks at the text, since the
// file may be broken.
func kindOfFile(path string, data []byte) string {
	if filepath.Ext(path) == ".feature" {
		return kindFeature
	}
	typical := map[string]string{"scenarios": kindScenario, "feature": kindScenario, "url": kindTarget, "operations": kindTarget,
		"observers": kindTarget, "run": kindTarget, "profile": kindTarget, "replay": kindProfile, "mismatch": kindProfile,
		"key": kindProfile, "in_flight": kindProfile, "retention": kindProfile}
	found := map[string]bool{}
	for _, m := range topLevel.FindAllSubmatch(data, -1) {
		found[typical[string(m[1])]] = true
	}
	for _, kind := range []string{kindScenario, kindTarget, kindProfile} {
		if found[kind] {
			return kind
		}
	}
	return kindScenario
}

// lint checks files, and folders of them.
func lint(paths []string) ([]problem, error) {
	library, err := openLibrary(nil)
	if err != nil {
		return nil, err
	}
	files, err := lintFiles(paths)
	if err != nil {
		return nil, err
	}
	var problems []problem
	for _, path := range files {
		data, err := readSmall(path)
		if err != nil {
			return nil, fmt.Errorf("read a file to check: %w", err)
		}
		problems = append(problems, lintFile(library, path, data)...)
	}
	_, err = library.plan("")
	problems = append(problems, problemsOf("", err)...)
	slices.SortStableFunc(problems, func(a, b problem) int {
		return cmp.Or(cmp.Compare(slices.Index(files, a.file), slices.Index(files, b.file)), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	return problems, nil
}

// lintFiles lists the files to check, each once.
func lintFiles(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		err := filepath.WalkDir(path, func(p string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || p != path && !slices.Contains([]string{".feature", ".yaml", ".yml"}, filepath.Ext(p)) {
				return err
			}
			if !slices.Contains(files, p) {
				files = append(files, p)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("find the files to check: %w", err)
		}
	}
	return files, nil
}

// lintFile checks a file by itself. Scenarios without mistakes go into the library, to be planned together.
func lintFile(library *library, path string, data []byte) []problem {
	switch kindOfFile(path, data) {
	case kindTarget:
		_, err := targets.Parse(path, data, lintEnv(data))
		return append(problemsOf(path, err), keyWarnings(path, data)...)
	case kindProfile:
		_, err := targets.ProfileNamed("./"+filepath.Base(path), filepath.Dir(path))
		return append(problemsOf(path, err), keyWarnings(path, data)...)
	case kindFeature:
		alone, err := openLibrary(nil)
		if err == nil {
			if err = alone.add(path, data); err == nil {
				_, err = alone.plan("")
			}
		}
		var planned *steps.PlanError
		if err != nil && !errors.As(err, &planned) { // Gherkin that cannot be read would hide all other files
			return problemsOf(path, err)
		}
	}
	return problemsOf(path, library.add(path, data))
}

// bareVariable is a variable of the environment without a default.
var bareVariable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// lintEnv stands for the environment: lint must do without secrets. A variable that is not set and has no default in the
// file is an address, which is a text as well.
func lintEnv(file []byte) targets.Env {
	bare := map[string]bool{}
	for _, m := range bareVariable.FindAllSubmatch(file, -1) {
		bare[string(m[1])] = true
	}
	return func(name string) (string, bool) {
		if value, set := os.LookupEnv(name); set && value != "" {
			return value, true
		}
		return "http://127.0.0.1:1", bare[name]
	}
}

var gherkinPlace = regexp.MustCompile(`\((\d+):(\d+)\): `)

// problemsOf takes an error apart into the mistakes that it consists of.
func problemsOf(path string, err error) []problem {
	var inFile *scenarios.FileError
	var inTarget *targets.FileError
	var inPlan *steps.PlanError
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var list []problem
		for _, one := range several.Unwrap() {
			list = append(list, problemsOf(path, one)...)
		}
		return list
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &inFile):
		return []problem{{file: inFile.File, line: inFile.Line, column: inFile.Column, text: withHint(inFile.Msg, inFile.Hint)}}
	case errors.As(err, &inTarget):
		return []problem{{file: inTarget.File, line: inTarget.Line, column: inTarget.Column, text: withHint(inTarget.Msg, inTarget.Hint)}}
	case errors.As(err, &inPlan):
		return []problem{{file: inPlan.File, line: inPlan.Line, column: inPlan.Column, text: inPlan.Msg}}
	}
	return gherkinProblems(path, err)
}

// gherkinProblems reads the mistakes of a feature that is no Gherkin: one for each place that the message names.
func gherkinProblems(path string, err error) []problem {
	var list []problem
	for line := range strings.Lines(err.Error()) {
		if m := gherkinPlace.FindStringSubmatchIndex(line); m != nil {
			row, _ := strconv.Atoi(line[m[2]:m[3]])
			column, _ := strconv.Atoi(line[m[4]:m[5]])
			list = append(list, problem{file: path, line: row, column: column, text: strings.TrimSpace(line[m[1]:])})
		}
	}
	if list == nil {
		list = []problem{{file: path, text: err.Error()}}
	}
	return list
}

func withHint(text, hint string) string {
	if hint != "" {
		text += " (" + hint + ")"
	}
	return text
}
