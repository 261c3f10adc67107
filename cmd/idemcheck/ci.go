package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps"
)

// ciFolder is where --ci writes what a CI system keeps.
const ciFolder = "idemcheck-report"

// ciFlags are the flags by which a run fits into a CI system.
type ciFlags struct {
	ci    bool
	split string
	group string

	shard steps.Shard
}

func (f *ciFlags) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.ci, "ci", false, "for CI: --strict, no colour, quiet progress; writes the events and the html, junit, json and markdown reports to "+
		ciFolder+"/; on GitHub also annotations and the step summary")
	fl.StringVar(&f.split, "shard", "", "run one part of the cases, i/n (auto: as GitLab, CircleCI or Buildkite say; auto/n: by the index of a Kubernetes Job); report merge joins the events")
	fl.StringVar(&f.group, "group", "", "names the whole that a shard is part of; report merge refuses to join different ones (--ci: the workflow run or pipeline)")
}

// check reads --shard and fills in what --ci knows.
func (f *ciFlags) check() error {
	if f.split != "" {
		split, err := autoShard(f.split, os.Getenv)
		if err == nil {
			f.shard, err = steps.ParseShard(split)
		}
		if err != nil {
			return fmt.Errorf("--shard: %w", err)
		}
	}
	if f.ci && f.group == "" {
		f.group = ciGroup(os.Getenv)
	}
	return nil
}

// ciGroup names the workflow run or pipeline: all jobs of one have it in common, and no two have the same.
func ciGroup(getenv func(string) string) string {
	for _, system := range []struct{ prefix, variable string }{
		{"github-", "GITHUB_RUN_ID"}, {"gitlab-", "CI_PIPELINE_ID"}, {"buildkite-", "BUILDKITE_BUILD_ID"},
		{"circleci-", "CIRCLE_WORKFLOW_ID"}, {"azure-", "BUILD_BUILDID"}, {"jenkins-", "BUILD_TAG"},
	} {
		if id := getenv(system.variable); id != "" {
			return system.prefix + id
		}
	}
	return ""
}

// autoShard finds out which part of a run this is where a CI system says it.
func autoShard(split string, getenv func(string) string) (string, error) {
	auto, of, counted := strings.Cut(split, "/")
	if auto != "auto" {
		return split, nil
	}
	for _, system := range []struct {
		index, of string
		first     int
	}{
		{"CI_NODE_INDEX", "CI_NODE_TOTAL", 1}, {"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},
		{"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0}, {"JOB_COMPLETION_INDEX", "", 0},
	} {
		total := of
		if !counted {
			total = getenv(system.of)
		}
		if i, err := strconv.Atoi(getenv(system.index)); err == nil && total != "" {
			return fmt.Sprintf("%d/%s", i-system.first+1, total), nil
		}
	}
	return "", fmt.Errorf("read the shard %q: no CI system says which part this is (CI_NODE_INDEX and CI_NODE_TOTAL; auto/n: JOB_COMPLETION_INDEX)", split)
}

// ciOutputs adds what --ci writes to what was asked for, and makes the folder. The parts of a split run have names of
// their own, so that all of them can be kept in one place.
func (f *ciFlags) ciOutputs(events *string, list *[]string) error {
	if !f.ci {
		return nil
	}
	if err := os.MkdirAll(ciFolder, 0o755); err != nil {
		return fmt.Errorf("make the folder of the reports: %w", err)
	}
	part := ""
	if f.shard.Of > 0 {
		part = fmt.Sprintf("-%d-of-%d", f.shard.Index, f.shard.Of)
	}
	name := func(stem, extension string) string { return filepath.Join(ciFolder, stem+part+extension) }
	if *events == "" {
		*events = name("events", ".ndjson")
	}
	for _, r := range []struct{ format, path string }{
		{"html", name("report", ".html")}, {"junit", name("junit", ".xml")}, {"json", name("report", ".json")}, {"markdown", name("report", ".md")},
	} {
		if !asksFor(*list, r.format) {
			*list = append(*list, r.format+"="+r.path)
		}
	}
	return nil
}

func asksFor(list []string, format string) bool {
	for _, text := range list {
		if strings.HasPrefix(text, format+"=") {
			return true
		}
	}
	return false
}

// tellGitHub prints the annotations and adds to the step summary, where --ci runs in a step of GitHub Actions.
func (f *ciFlags) tellGitHub(out io.Writer, r reports.Report) error {
	if !f.ci || os.Getenv("GITHUB_ACTIONS") != "true" {
		return nil
	}
	return errors.Join(reports.Annotations(out, r), stepSummary(os.Getenv("GITHUB_STEP_SUMMARY"), r))
}

// stepSummary adds the Markdown report to the file that GitHub shows with the step. Earlier commands of the step may
// have written to it.
func stepSummary(path string, r reports.Report) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("add to the step summary: %w", err)
	}
	return errors.Join(reports.Markdown(f, r), f.Close())
}
