package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func profilesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "profiles", Short: "List the built-in profiles: vendors, standards and receivers of webhooks", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return printProfiles(cmd.OutOrStdout()) },
	}
	cmd.AddCommand(profilesDiffCommand())
	return cmd
}

func profilesDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use: "diff ONE OTHER", Short: "Compare two profiles, value by value", Args: cobra.ExactArgs(2),
		ValidArgsFunction: completeProfiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			one, err := targets.ProfileNamed(args[0], ".")
			if err != nil {
				return err
			}
			other, err := targets.ProfileNamed(args[1], ".")
			if err != nil {
				return err
			}
			return diffProfiles(cmd.OutOrStdout(), one, other)
		},
	}
}

func completeProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return targets.ProfileNames(), cobra.ShellCompDirectiveNoFileComp
}

func printProfiles(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "name\ttitle\trole\tkey\tkept for")
	for _, name := range targets.ProfileNames() {
		p, err := targets.ProfileNamed(name, ".")
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.Name, p.Title, p.Role, p.Key.Place(), kept(p))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the profiles: %w", err)
	}
	return nil
}

// kept says how long a key is kept, and of a receiver's profile how long its sender redelivers.
func kept(p targets.Profile) string {
	if p.Delivery != nil && p.Delivery.Horizon > 0 {
		return "redelivered for " + p.Delivery.Horizon.Words()
	}
	return p.KeptFor()
}

// explainProfile prints what a profile says, clause by clause, with how binding each is, how it is known and where.
func explainProfile(out io.Writer, p targets.Profile) {
	fmt.Fprintf(out, "%s: %s\nsource: %s\n", p.Name, p.Title, orNone(p.Source))
	if p.Role == targets.RoleReceiver {
		fmt.Fprintln(out, "role: receiver of webhooks")
	}
	var unknown []string
	for _, s := range p.Sections() {
		if s.Claim.Provenance == targets.Unknown && s.Claim.Note == "" && onlyUndocumented(s) {
			unknown = append(unknown, s.Path)
			continue
		}
		explainSection(out, s)
	}
	if len(unknown) > 0 {
		fmt.Fprintf(out, "\nnothing is known of\n%s", wrapped(unknown, 100))
	}
	fmt.Fprintln(out, "\nOnly what is documented can fail a case; what is observed or inferred gives a warning.")
}

// wrapped writes a list in lines of at most so many characters.
func wrapped(list []string, width int) string {
	text, line := "", " "
	for i, word := range list {
		if i < len(list)-1 {
			word += ","
		}
		if len(line)+1+len(word) > width {
			text, line = text+line+"\n", " "
		}
		line += " " + word
	}
	return text + line + "\n"
}

// onlyUndocumented reports whether a section says no more than that its owner says nothing.
func onlyUndocumented(s targets.ProfileSection) bool {
	return !slices.ContainsFunc(s.Values, func(v targets.ProfileValue) bool { return v.Text != targets.ModeUndocumented })
}

func explainSection(out io.Writer, s targets.ProfileSection) {
	fmt.Fprintf(out, "\n%s (%s)\n", s.Path, standing(s.Claim))
	for _, v := range s.Values {
		fmt.Fprintf(out, "  %-13s %s\n", v.Name, v.Text)
	}
	for _, line := range []struct{ name, text string }{{"note", s.Claim.Note}, {"source", s.Claim.Source}} {
		if line.text != "" {
			fmt.Fprintf(out, "  %-13s %s\n", line.name, line.text)
		}
	}
}

// standing says how binding a claim is and how it is known: "must, documented".
func standing(c targets.Claim) string {
	words := []string{string(c.Provenance)}
	if c.Level != "" {
		words = []string{string(c.Level), string(c.Provenance)}
	}
	if c.Date != "" {
		words = append(words, c.Date)
	}
	return strings.Join(words, ", ")
}

// diffProfiles prints the values in which two profiles differ, in the order of a profile's file, and how many are equal.
func diffProfiles(out io.Writer, one, other targets.Profile) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "value\t%s\t%s\n", one.Name, other.Name)
	left, right := byPath(one), byPath(other)
	equal := 0
	for _, path := range paths(one, other) {
		if l, r := worded(left[path]), worded(right[path]); l != r {
			fmt.Fprintf(w, "%s\t%s\t%s\n", path, l, r)
		} else {
			equal++
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the differences: %w", err)
	}
	_, err := fmt.Fprintf(out, "\n%d values are equal. (inferred), (observed): not documented; -: not said.\n", equal)
	return err
}

func byPath(p targets.Profile) map[string]targets.ProfileValue {
	m := map[string]targets.ProfileValue{}
	for _, v := range p.Values() {
		m[v.Path()] = v
	}
	return m
}

// paths lists the values of both profiles; what only the other one has stands behind its section.
func paths(one, other targets.Profile) []string {
	var list []string
	for _, v := range one.Values() {
		list = append(list, v.Path())
	}
	for _, v := range other.Values() {
		if slices.Contains(list, v.Path()) {
			continue
		}
		list = slices.Insert(list, behind(list, v.Section), v.Path())
	}
	return list
}

// behind finds where a section ends in a list of values, or the section around it; else the end of the list.
func behind(list []string, section string) int {
	for section != "" {
		for i, path := range slices.Backward(list) {
			if strings.HasPrefix(path, section+".") {
				return i + 1
			}
		}
		section = section[:max(strings.LastIndex(section, "."), 0)]
	}
	return len(list)
}

// worded writes a value with how it is known, where it is not documented.
func worded(v targets.ProfileValue) string {
	switch {
	case v.Text == "" || v.Text == targets.ModeUndocumented:
		return "-"
	case v.Claim.Provenance == targets.Documented:
		return v.Text
	}
	return v.Text + " (" + string(v.Claim.Provenance) + ")"
}
