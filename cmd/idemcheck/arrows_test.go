package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/idempotency-conformance/idemcheck"

// arrows says which packages of ours each package may import. A new package is a new row here and in CONTRIBUTING.md.
// A pattern with a star stands for every package below.
var arrows = map[string][]string{
	"cmd/idemcheck":           {"*"},
	"steps":                   {"steps/judge", "reports", "scenarios", "features", "targets", "targets/burst", "targets/observe"},
	"steps/judge":             {"reports", "targets"},
	"steps/discover":          {"steps", "steps/judge", "reports", "targets", "targets/*"},
	"reports":                 {"targets"},
	"scenarios":               {},
	"features":                {},
	"targets":                 {},
	"targets/observe":         {"targets"},
	"targets/burst":           {"targets"},
	"targets/process":         {"targets", "targets/crash"},
	"targets/crash":           {"targets"},
	"targets/container":       {"targets", "targets/crash"},
	"targets/hooks":           {"targets", "targets/crash"},
	"targets/examples/orders": {},
	"targets/examples/vendor": {},
	"targets/reference":       {"targets"},
	"targets/intake":          {"targets"},
}

// sole names the modules that only one package may import.
var sole = map[string]string{
	"github.com/cucumber/godog":                   "steps",
	"github.com/testcontainers/testcontainers-go": "targets/container",
}

func TestArrows(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		seen[name] = true
		allowed, listed := arrows[name]
		if !listed {
			t.Errorf("the package %s is not in the table of arrows", name)
			continue
		}
		for _, imported := range p.Imports {
			ours, isOurs := strings.CutPrefix(imported, module+"/")
			if isOurs && !slices.ContainsFunc(allowed, func(glob string) bool { ok, _ := path.Match(glob, ours); return ok || glob == "*" }) {
				t.Errorf("%s imports %s, which is no arrow of the design", name, ours)
			}
			for lib, owner := range sole {
				if imported == lib && name != owner {
					t.Errorf("%s imports %s; only %s may", name, lib, owner)
				}
			}
		}
	}
	for name := range arrows {
		if !seen[name] {
			t.Errorf("the table of arrows lists %s, which does not exist", name)
		}
	}
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	out, err := cmd.Output()
	require.NoError(t, err)
	var list []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		list = append(list, p)
	}
}

// TestOnlyCmdPrintsAndExits looks for what only cmd may do.
func TestOnlyCmdPrintsAndExits(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("git", "grep", "-nE", `os\.Exit\(|fmt\.Print(ln|f)?\(|log\.(Fatal|Print|Panic)|^func init\(\)`, "--", "*.go", ":!cmd", ":!*_test.go", ":!**/testdata/**",
		":!targets/examples/orders", ":!targets/examples/vendor") // programs of their own
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return // git grep ends with 1 when it finds nothing
	}
	t.Errorf("only cmd/idemcheck prints and exits, and nothing has an init:\n%s", out)
}
