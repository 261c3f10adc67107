package scenarios

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.yaml
var builtin embed.FS

// Builtins lists the names of the built-in YAML scenarios: the files' names without their ending.
func Builtins() []string {
	files, err := fs.Glob(builtin, "*.yaml")
	if err != nil {
		panic(err) // the pattern is ours
	}
	for i := range files {
		files[i] = strings.TrimSuffix(files[i], ".yaml")
	}
	return files
}

// Builtin gives a built-in file of scenarios by its name.
func Builtin(name string) ([]byte, error) {
	data, err := builtin.ReadFile(name + ".yaml")
	if err != nil || !slices.Contains(Builtins(), name) {
		hint := suggest(name, Builtins())
		return nil, fmt.Errorf("there are no built-in scenarios called %q (%s)", name, hint)
	}
	return data, nil
}

// Skeleton is a scenario file to begin one's own from, with comments.
//
//go:embed skeleton.txt
var Skeleton []byte
