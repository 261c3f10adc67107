// Package examples proves that what users copy is right: the manifests against the types of the Kubernetes API, the
// workflows, the action and the release configuration against the members that their readers know. It is a module of its
// own, so that the program does not carry these types.
package examples

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// documents reads a file of several YAML documents.
func documents(t *testing.T, path string) [][]byte {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return bytes.Split(data, []byte("\n---\n"))
}

func strict(t *testing.T, doc []byte, into any) {
	t.Helper()
	require.NoError(t, yaml.UnmarshalStrict(doc, into), "%s", doc)
}

// The manifests are what the API of Kubernetes takes, and their parts fit together.
func TestKubernetesJob(t *testing.T) {
	docs := documents(t, "kubernetes-job.yaml")
	require.Len(t, docs, 3)
	var claim core.PersistentVolumeClaim
	var shards, report batch.Job
	strict(t, docs[0], &claim)
	strict(t, docs[1], &shards)
	strict(t, docs[2], &report)

	spec := shards.Spec
	require.Equal(t, batch.IndexedCompletion, *spec.CompletionMode)
	n := *spec.Completions
	args := strings.Join(spec.Template.Spec.Containers[0].Args, " ")
	assert.Contains(t, args, "--shard auto/"+itoa(n), "completions and shards are as many")
	assert.Equal(t, n, *spec.MaxFailedIndexes, "a broken shard does not stop the others")
	assert.Zero(t, *spec.BackoffLimitPerIndex)
	assert.Contains(t, strings.Join(report.Spec.Template.Spec.Containers[0].Args, " "), "events-*-of-"+itoa(n)+".ndjson")
	for _, pod := range []core.PodSpec{spec.Template.Spec, report.Spec.Template.Spec} {
		assert.Equal(t, core.RestartPolicyNever, pod.RestartPolicy)
		assert.True(t, *pod.SecurityContext.RunAsNonRoot)
		volumes := map[string]bool{}
		for _, v := range pod.Volumes {
			volumes[v.Name] = true
			if v.PersistentVolumeClaim != nil {
				assert.Equal(t, claim.Name, v.PersistentVolumeClaim.ClaimName)
			}
		}
		for _, c := range pod.Containers {
			assert.True(t, *c.SecurityContext.ReadOnlyRootFilesystem)
			for _, m := range c.VolumeMounts {
				assert.True(t, volumes[m.Name], "no volume is called %s", m.Name)
			}
		}
	}
	for _, e := range spec.Template.Spec.Containers[0].Env {
		if e.Name == "JOB_UID" {
			assert.Contains(t, args, "$(JOB_UID)")
			return
		}
	}
	t.Error("the group of the shards is not set")
}

func itoa(n int32) string { return string(rune('0' + n)) }

// step is a step of a workflow or of a composite action, with the members that GitHub knows and that are used here.
type step struct {
	Name  string         `json:"name"`
	If    string         `json:"if"`
	Uses  string         `json:"uses"`
	With  map[string]any `json:"with"`
	Shell string         `json:"shell"`
	Env   map[string]any `json:"env"`
	Run   string         `json:"run"`
}

type action struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Author      string            `json:"author"`
	Branding    map[string]string `json:"branding"`
	Inputs      map[string]struct {
		Description string  `json:"description"`
		Default     *string `json:"default"`
	} `json:"inputs"`
	Runs struct {
		Using string `json:"using"`
		Steps []step `json:"steps"`
	} `json:"runs"`
}

func readAction(t *testing.T) action {
	t.Helper()
	var a action
	strict(t, documents(t, "../../action.yml")[0], &a)
	return a
}

// The action is a composite one, and nothing that a caller gives it becomes part of a script.
func TestAction(t *testing.T) {
	a := readAction(t)
	assert.Equal(t, "composite", a.Runs.Using)
	used := map[string]bool{}
	for _, s := range a.Runs.Steps {
		assert.True(t, (s.Uses == "") != (s.Run == ""), "a step either uses or runs: %+v", s)
		if s.Run != "" {
			assert.Equal(t, "bash", s.Shell, "a composite step needs a shell")
			assert.NotContains(t, s.Run, "${{", "an input in a script is a command of the caller's")
		}
		for _, m := range regexp.MustCompile(`inputs\.(\w+)`).FindAllStringSubmatch(s.If+join(s.Env)+join(s.With), -1) {
			used[m[1]] = true
			assert.Contains(t, a.Inputs, m[1])
		}
	}
	for name, in := range a.Inputs {
		assert.True(t, used[name], "no step reads the input %s", name)
		assert.NotEmpty(t, in.Description)
	}
}

func join(values map[string]any) string {
	var b strings.Builder
	for _, v := range values {
		if s, ok := v.(string); ok {
			b.WriteString(s + " ")
		}
	}
	return b.String()
}

// The example workflow gives the action inputs that it has, and merges as many shards as it runs.
func TestGitHubWorkflow(t *testing.T) {
	var w struct {
		Name        string            `json:"name"`
		On          map[string]any    `json:"on"`
		Permissions map[string]string `json:"permissions"`
		Jobs        map[string]struct {
			RunsOn   string `json:"runs-on"`
			Needs    string `json:"needs"`
			If       string `json:"if"`
			Strategy struct {
				FailFast *bool            `json:"fail-fast"`
				Matrix   map[string][]int `json:"matrix"`
			} `json:"strategy"`
			Steps []step `json:"steps"`
		} `json:"jobs"`
	}
	doc := documents(t, "github-workflow.yml")[0]
	doc = bytes.Replace(doc, []byte("\non:\n"), []byte("\n\"on\":\n"), 1) // YAML 1.1 takes it for true
	strict(t, doc, &w)
	a := readAction(t)
	for name, job := range w.Jobs {
		for _, s := range job.Steps {
			if strings.HasPrefix(s.Uses, "idempotency-conformance/idemcheck@") {
				for input := range s.With {
					assert.Contains(t, a.Inputs, input, "job %s", name)
				}
			}
		}
	}
	n := itoa(int32(len(w.Jobs["shard"].Strategy.Matrix["shard"])))
	assert.False(t, *w.Jobs["shard"].Strategy.FailFast)
	assert.Equal(t, "${{ matrix.shard }}/"+n, w.Jobs["shard"].Steps[1].With["shard"])
	assert.Equal(t, "idemcheck-report/events-*-of-"+n+".ndjson", w.Jobs["whole"].Steps[1].With["merge"])
	assert.Equal(t, "always()", w.Jobs["whole"].If)
}

func TestGitLab(t *testing.T) {
	type job struct {
		Stage     string         `json:"stage"`
		Image     string         `json:"image"`
		Parallel  int            `json:"parallel"`
		When      string         `json:"when"`
		Needs     []string       `json:"needs"`
		Script    []string       `json:"script"`
		Artifacts map[string]any `json:"artifacts"`
	}
	var file struct {
		Stages []string `json:"stages"`
		Shards job      `json:"idempotency"`
		Whole  job      `json:"idempotency-report"`
	}
	strict(t, documents(t, "gitlab-ci.yml")[0], &file)
	assert.Contains(t, file.Shards.Script[1], "--shard auto ")
	assert.Contains(t, file.Whole.Script[1], "events-*-of-"+itoa(int32(file.Shards.Parallel))+".ndjson")
	assert.Equal(t, []string{"idempotency"}, file.Whole.Needs)
	assert.Equal(t, "always", file.Whole.When)
}

// The release configuration has the members of version 2 that are used here, and names what there is.
func TestRelease(t *testing.T) {
	var c struct {
		Version int                 `json:"version"`
		Name    string              `json:"project_name"`
		Before  map[string][]string `json:"before"`
		Builds  []struct {
			ID        string   `json:"id"`
			Main      string   `json:"main"`
			Binary    string   `json:"binary"`
			Env       []string `json:"env"`
			Flags     []string `json:"flags"`
			Ldflags   []string `json:"ldflags"`
			Timestamp string   `json:"mod_timestamp"`
			OS        []string `json:"goos"`
			Arch      []string `json:"goarch"`
		} `json:"builds"`
		Archives []struct {
			Formats   []string `json:"formats"`
			Overrides []struct {
				OS      string   `json:"goos"`
				Formats []string `json:"formats"`
			} `json:"format_overrides"`
			Files []string `json:"files"`
		} `json:"archives"`
		Checksum map[string]string `json:"checksum"`
		Dockers  []struct {
			Images     []string `json:"image_templates"`
			Dockerfile string   `json:"dockerfile"`
			IDs        []string `json:"ids"`
		} `json:"dockers"`
		Changelog map[string]string `json:"changelog"`
		Release   map[string]bool   `json:"release"`
	}
	strict(t, documents(t, "../../.goreleaser.yaml")[0], &c)
	require.Equal(t, 2, c.Version)
	main, err := os.ReadFile("../../" + c.Builds[0].Main + "/main.go")
	require.NoError(t, err)
	assert.Contains(t, string(main), "var version =", "what the linker sets")
	assert.Contains(t, c.Builds[0].Ldflags[0], "main.version=")
	assert.Contains(t, c.Builds[0].Env, "CGO_ENABLED=0", "an image from scratch has no libraries")
	assert.FileExists(t, "../../"+c.Dockers[0].Dockerfile)
	assert.Equal(t, c.Builds[0].ID, c.Dockers[0].IDs[0])
}
