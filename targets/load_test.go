package targets

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "t.yaml")
	_, err := Load(file, nil)
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "read the target file: ")
	require.NoError(t, os.WriteFile(file, []byte(mergeHead), 0o600))
	target, err := Load(file, nil)
	require.NoError(t, err)
	assert.Equal(t, file, target.File)
	require.NoError(t, os.WriteFile(file, []byte("name: "+strings.Repeat("x", maxFileSize)), 0o600))
	_, err = Load(file, nil)
	assert.ErrorContains(t, err, ":1:1: the file is larger than 1 MiB")
}

func TestFileErrorsCanBeFound(t *testing.T) {
	t.Parallel()
	_, err := Parse("x.yaml", []byte("nam: x\nurrl: y\n"), nil)
	var one *FileError
	require.True(t, errors.As(err, &one))
	assert.Equal(t, &FileError{File: "x.yaml", Line: 1, Column: 1, Msg: `unknown field "nam"`, Hint: `did you mean "name"?`}, one)
	var all FileErrors
	require.True(t, errors.As(err, &all))
	assert.Len(t, all, 2)
	_, err = Parse("x.yaml", []byte(strings.Repeat("a: b\n", 50)), nil)
	assert.Contains(t, err.Error(), "\nx.yaml: and ")
	assert.Equal(t, maxFileErrors+1, len(strings.Split(err.Error(), "\n")))
}

func TestCheckRemote(t *testing.T) {
	t.Parallel()
	for url, local := range map[string]bool{
		"http://127.0.0.1:8080": true, "http://localhost": true, "http://api.localhost.:1": true, "http://[::1]:8080": true,
		"http://127.9.9.9": true, "http://[::ffff:127.0.0.1]": true, "http://LOCALHOST": true, "http://127.0.0.1:{{port}}": true,
		"https://api.example.com": false, "http://10.0.0.1": false, "http://localhost.example.com": false, "http://0.0.0.0": false,
		"http://127.0.0.1.example.com": false,
	} {
		target := &Target{File: "t.yaml", URL: url}
		assert.Equal(t, local, target.CheckRemote(false) == nil, url)
		assert.NoError(t, target.CheckRemote(true))
		target = &Target{File: "t.yaml", URL: "http://127.0.0.1", Replicas: []string{url}}
		assert.Equal(t, local, target.CheckRemote(false) == nil, url)
		target = &Target{URL: "http://127.0.0.1", Namespaces: Namespaces{TestEnvironment: &Namespace{URL: url}}}
		assert.Equal(t, local, target.CheckRemote(false) == nil, url)
		target.Remote = true
		assert.NoError(t, target.CheckRemote(false))
	}
	err := (&Target{File: "t.yaml", URL: "https://u:secret@h.example.com"}).CheckRemote(false)
	assert.ErrorContains(t, err, "t.yaml: https://[redacted]@h.example.com is not on this machine")
}

func TestExplodingAliasesAreRefused(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString(mergeHead + "values:\n  event: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	text.WriteString("approve:\n  request: POST /x\n  body:\n    b0: &b0 [x, x, x, x, x, x, x, x, x]\n")
	for i := range 12 {
		text.WriteString("    b" + string(rune('a'+i)) + ": &b" + string(rune('a'+i)) + " [")
		previous := "b0"
		if i > 0 {
			previous = "b" + string(rune('a'+i-1))
		}
		text.WriteString(strings.Repeat("*"+previous+", ", 9) + "]\n")
	}
	_, err := Parse("x.yaml", []byte(text.String()), nil)
	assert.ErrorContains(t, err, "the file holds more than 100000 values (an alias of aliases?)")
	_, err = Parse("x.yaml", []byte(mergeHead+"approve: {request: POST /x, body: "+strings.Repeat("[", 200)+strings.Repeat("]", 200)+"}\n"), nil)
	assert.ErrorContains(t, err, "nested deeper than 100 levels")
	_, err = Parse("x.yaml", []byte("<<: &a {<<: *a}\n"), nil)
	assert.ErrorContains(t, err, "contains itself")
}

func TestAnchorsAndMergeKeys(t *testing.T) {
	t.Parallel()
	target, err := Parse("x.yaml", []byte(`
name: x
url: http://127.0.0.1
operations:
  create: &create
    request: POST /x
    body: &body {m: "{{marker}}", n: 1}
    material: [n]
  other:
    <<: *create
    request: PUT /x
    body: {<<: [*body, {z: 9, m: no}], n: 2}
`), nil)
	require.NoError(t, err)
	other := target.Operations.Named("other")
	assert.Equal(t, "PUT /x", other.Line)
	assert.Equal(t, Strings{"n"}, other.Material)
	got, err := other.Body.Render(Vars{"marker": "m"})
	require.NoError(t, err)
	assert.Equal(t, `{"m":"m","z":9,"n":2}`, string(got))
}

// FuzzParseTarget: no panic; an error has a place or names the profile file; a target that loads can be built.
func FuzzParseTarget(f *testing.F) {
	for _, name := range ExampleNames() {
		data, err := Example(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	files, _ := filepath.Glob("testdata/load/*.yaml")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(string(data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		target, err := Parse("fuzz.yaml", []byte(text), exampleEnv)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz.yaml:") {
				t.Fatalf("no place in %q", err)
			}
			return
		}
		for _, op := range target.Operations {
			a, err := op.Build("http://127.0.0.1", target.Headers, sampleVars())
			if err == nil {
				_ = Place(target.Profile.Key, "key", &a)
			}
			for _, m := range op.Body.Members() {
				_, _ = op.Body.Changed(sampleVars(), m)
			}
		}
		_ = target.CheckRemote(false)
	})
}
