package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/scenarios"
	"github.com/idempotency-conformance/idemcheck/steps"
)

// stepFormats lists how the steps can be printed.
var stepFormats = map[string]func(io.Writer, []described) error{"text": stepsAsText, "markdown": stepsAsMarkdown, "json": stepsAsJSON}

// described is a verb as `idemcheck steps` shows it.
type described struct {
	Verb      string              `json:"verb"`
	Doc       string              `json:"doc"`
	Sentences []scenarios.Spelled `json:"sentences"`
	Arguments []describedArg      `json:"arguments,omitempty"`
}

type describedArg struct {
	Name    string          `json:"name"`
	Doc     string          `json:"doc"`
	Default string          `json:"default,omitempty"`
	Choices []choiceSpelled `json:"choices,omitempty"`
}

// choiceSpelled is a value of an argument in both languages.
type choiceSpelled struct {
	Gherkin string `json:"gherkin"`
	YAML    string `json:"yaml"`
}

func stepsCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "steps", Short: "List the steps that scenarios are written in, in Gherkin and in YAML", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			write, known := stepFormats[format]
			if !known {
				return fmt.Errorf("--format %q is none of text, markdown, json", format)
			}
			list, err := describeSteps()
			if err != nil {
				return err
			}
			return write(cmd.OutOrStdout(), list)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown or json")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "markdown", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func describeSteps() ([]described, error) {
	var list []described
	for _, v := range steps.Verbs() {
		d := described{Verb: v.Name, Doc: v.Doc}
		var err error
		if d.Sentences, err = v.Spellings(); err != nil {
			return nil, fmt.Errorf("spell the step %s: %w", v.Name, err)
		}
		for _, a := range v.Args {
			arg := describedArg{Name: a.Name, Doc: a.Doc, Default: a.Default}
			for _, c := range a.Choices {
				arg.Choices = append(arg.Choices, choiceSpelled{c.Phrase, c.Value})
			}
			d.Arguments = append(d.Arguments, arg)
		}
		list = append(list, d)
	}
	return list, nil
}

func stepsAsText(out io.Writer, list []described) error {
	var b strings.Builder
	for i, d := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s: %s\n", d.Verb, d.Doc)
		for _, s := range d.Sentences {
			fmt.Fprintf(&b, "  %s\n      %s\n", s.Gherkin, strings.ReplaceAll(s.YAML, "\n", "\n      "))
		}
		for _, a := range d.Arguments {
			fmt.Fprintf(&b, "    {%s}: %s\n", a.Name, a.Doc)
			for _, c := range a.Choices {
				fmt.Fprintf(&b, "      %s = %s\n", c.Gherkin, c.YAML)
			}
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func stepsAsMarkdown(out io.Writer, list []described) error {
	var b strings.Builder
	b.WriteString("# The steps of scenarios\n")
	for _, d := range list {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| Gherkin | YAML |\n| --- | --- |\n", d.Verb, d.Doc)
		for _, s := range d.Sentences {
			fmt.Fprintf(&b, "| `%s` | `%s` |\n", s.Gherkin, strings.ReplaceAll(strings.ReplaceAll(s.YAML, "\n", " "), "|", `\|`))
		}
		if len(d.Arguments) > 0 {
			b.WriteString("\n| argument | what it is |\n| --- | --- |\n")
		}
		for _, a := range d.Arguments {
			doc := a.Doc
			for i, c := range a.Choices {
				doc += map[bool]string{true: "<br>", false: ", "}[i == 0] + "`" + c.YAML + "` (" + c.Gherkin + ")"
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", a.Name, strings.ReplaceAll(doc, "|", `\|`))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func stepsAsJSON(out io.Writer, list []described) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(list)
}
