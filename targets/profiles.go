package targets

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed profiles/*.yaml
var profileFiles embed.FS

//go:embed examples/*.yaml
var exampleFiles embed.FS

// ProfileNames lists the built-in profiles in alphabetical order.
func ProfileNames() []string { return yamlNames(profileFiles, "profiles") }

// ExampleNames lists the built-in target files in alphabetical order.
func ExampleNames() []string { return yamlNames(exampleFiles, "examples") }

// Example gives the text of a built-in target file ("reference", "orders-staging", …) for Parse or for a user to copy.
func Example(name string) ([]byte, error) {
	data, err := exampleFiles.ReadFile(path.Join("examples", name+".yaml"))
	if err != nil {
		return nil, unknownName("example", name, ExampleNames())
	}
	return data, nil
}

// ProfileNamed gives a profile, checked and with every claim filled in. ref is the name of a built-in one, or the path
// of a YAML file (it ends in .yaml or .yml, or holds a slash), relative to dir. An unknown name is an error with the
// nearest known one; the mistakes of a file are FileErrors.
func ProfileNamed(ref, dir string) (Profile, error) {
	if !isProfilePath(ref) {
		file := path.Join("profiles", ref+".yaml")
		data, err := profileFiles.ReadFile(file)
		if err != nil {
			return Profile{}, unknownName("profile", ref, ProfileNames())
		}
		return parseProfile(file, data)
	}
	file := ref
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, ref)
	}
	data, err := readFile(file)
	if err != nil {
		return Profile{}, fmt.Errorf("read the profile: %w", err)
	}
	return parseProfile(file, data)
}

func isProfilePath(ref string) bool {
	return strings.HasSuffix(ref, ".yaml") || strings.HasSuffix(ref, ".yml") || strings.ContainsAny(ref, `/\`)
}

func parseProfile(file string, data []byte) (Profile, error) {
	var p Profile
	d := newDecoder(file, nil, nil)
	d.plain = true
	d.decode(data, &p)
	checkProfile(d, &p)
	if err := d.err(); err != nil {
		return Profile{}, err
	}
	p.settle()
	return p, nil
}

func unknownName(kind, name string, known []string) error {
	if best, ok := nearest(name, known); ok {
		return fmt.Errorf("unknown %s %q (did you mean %q?)", kind, name, best)
	}
	return fmt.Errorf("unknown %s %q (known: %s; or give the path of a YAML file)", kind, name, strings.Join(known, ", "))
}

func yamlNames(files fs.FS, dir string) []string {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return nil // cannot happen: the folder is embedded
	}
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok {
			out = append(out, name)
		}
	}
	slices.Sort(out) // the files are sorted with their endings, which puts docusign-connect before docusign
	return out
}
