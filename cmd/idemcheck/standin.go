package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// ownClauses are the sections of the reference's target file that say how it treats keys. A stand-in's file leaves them
// out: there the profile speaks.
var ownClauses = []string{"key", "replay", "mismatch", "mismatch_in_flight", "in_flight", "missing", "failures", "retention",
	"expired", "delivery", "retry", "scope"}

// uniqueMember is the member that the stand-in of a profile without keys holds for unique.
const uniqueMember = "/external_id"

// profileServed gives the profile that the reference API is to stand in for; nil for none.
func profileServed(f serveFlags) (*targets.Profile, error) {
	if f.profile == "" {
		return nil, nil
	}
	p, err := targets.ProfileNamed(f.profile, ".")
	if err != nil {
		return nil, fmt.Errorf("serve as a stand-in: %w", err)
	}
	return &p, nil
}

// printStandInTarget prints the target file of a stand-in.
func printStandInTarget(cmd *cobra.Command, f serveFlags) error {
	p, err := profileServed(f)
	if err != nil {
		return err
	}
	if p == nil {
		return errors.New("--print-target needs --profile: without it the target file is targets/examples/reference.yaml")
	}
	text, err := standInTarget(*p, "http://"+f.addr)
	if err != nil {
		return fmt.Errorf("print the target file of a stand-in: %w", err)
	}
	_, err = cmd.OutOrStdout().Write(text)
	return err
}

// standInTarget writes the target file of the reference API where it stands in for the owner of a profile.
func standInTarget(p targets.Profile, url string) ([]byte, error) {
	text, err := targets.Example(embeddedTarget)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# The reference API of idemcheck as a stand-in for %s:\n#\n#   idemcheck serve --profile %s --test-switches\n", p.Title, p.Name)
	for _, s := range sections(string(text)) {
		if p.Role == targets.RoleReceiver {
			if s, err = forReceiver(p, s); err != nil {
				return nil, err
			}
		}
		switch name, _, _ := strings.Cut(s, ":"); {
		case name == "name":
			s = "name: " + p.Name + "-stand-in\n"
		case name == "profile":
			s = "profile: " + p.Name + "\n" + keyWithout(p) + filterOf(p) + jobsOf(p)
		case name == "url":
			s = "url: " + url + "\n"
		case name == "batch":
			s = inDocuments(p, s)
		case name == "operations":
			s = withFiltered(p, inDocuments(p, withoutTexts(p, s)))
		case name == "observers":
			s = withoutTexts(p, s)
		case name == "" || slices.Contains(ownClauses, name):
			continue
		}
		b.WriteString(s)
	}
	return []byte(b.String()), nil
}

// sections splits a YAML file at its top-level members; what stands before the first has no name.
func sections(text string) []string {
	var list []string
	current := ":"
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if line[0] != ' ' && line[0] != '\n' {
			list = append(list, current)
			current = ""
		}
		current += line
	}
	return append(list, current)
}

// keyWithout names the unique member of the stand-in, where the profile knows no key.
func keyWithout(p targets.Profile) string {
	if p.Key.In != targets.InNone || p.Role == targets.RoleReceiver {
		return ""
	}
	return "key: {in: body, name: " + uniqueMember + "} # what must be unique\nmismatch: {mode: overwrite}\n"
}

// filterOf says where the members stand that the owner compares beside the key: under its own names for them.
func filterOf(p targets.Profile) string {
	var pointers []string
	for _, name := range p.ContentFilter.Compares {
		pointers = append(pointers, "/"+memberFor(name))
	}
	if len(pointers) == 0 {
		return ""
	}
	return "content_filter: {members: [" + strings.Join(pointers, ", ") + "]} # what is compared beside the key\n"
}

// withFiltered puts those members into the body of the main operation.
func withFiltered(p targets.Profile, operations string) string {
	members := ""
	for _, name := range p.ContentFilter.Compares {
		members += "      " + memberFor(name) + ": \"{{marker}}\"\n"
	}
	return strings.Replace(operations, "    body:\n", "    body:\n"+members, 1)
}

// memberFor makes a member's name of what an owner calls it.
func memberFor(name string) string { return strings.ReplaceAll(name, " ", "_") }

// jobsOf says where a job of the stand-in names its result, where writes are jobs and the profile leaves that open.
func jobsOf(p targets.Profile) string {
	if p.Async == nil || p.Async.Result != "" {
		return ""
	}
	return "async: {result: $.result}\n"
}

// withoutTexts leaves out what is about a plain text, where the key travels in the body: there is no place for it.
func withoutTexts(p targets.Profile, section string) string {
	if p.Key.In == targets.InHeader || p.Key.In == targets.InQuery {
		return section
	}
	var b strings.Builder
	within := false
	for line := range strings.Lines(section) {
		if begins := strings.HasPrefix(line, "  - ") || len(line) > 2 && strings.HasPrefix(line, "  ") && line[2] != ' '; begins {
			within = strings.Contains(line, "plain-note")
		}
		if !within || strings.TrimSpace(line) == "" {
			b.WriteString(line)
		}
	}
	return b.String()
}

// inDocuments puts a GraphQL document into the bodies, where the key travels in one.
func inDocuments(p targets.Profile, operations string) string {
	if p.Key.In != targets.InDirective {
		return operations
	}
	operations = strings.Replace(operations, "    body:\n", "    body:\n      query: \"mutation { create }\"\n", 1)
	operations = strings.Replace(operations, "  body: {tasks:", "  body: {query: \"mutation { create }\", tasks:", 1)
	return strings.ReplaceAll(operations, "    body: {event:", "    body: {query: \"mutation { write }\", event:")
}
