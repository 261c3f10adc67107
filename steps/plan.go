package steps

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"

	"github.com/idempotency-conformance/idemcheck/scenarios"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// Case is one scenario as it was read, before anything is sent.
type Case struct {
	ID       string // its address: id, or id[row]
	Title    string
	Feature  string
	About    string // the feature's description
	Why      string // the scenario's own description
	Source   []string
	Level    targets.Level
	Needs    []targets.Need
	After    string // address of the case it stands on
	Tags     []string
	URI      string
	Line     int
	Steps    []string
	Requests int // at most
	Records  int // at most
	Loud     bool
	Long     bool     // a sweep: each of its parts has a deadline of its own
	Parts    []string // globs of the parts to run; none: all
	NotParts []string // globs of the parts not to run

	Shard     string // "3/4": the shard that reports it; empty in a run that is not split
	Elsewhere bool   // it is not run in this shard
}

// place identifies a scenario within the features: the file and the line of the scenario or of the outline's row.
type place struct {
	uri  string
	line int64
}

func placeOf(p *messages.Pickle) place {
	pl := place{uri: p.Uri}
	if p.Location != nil {
		pl.line = p.Location.Line
	}
	return pl
}

// Plan reads the features at paths in fsys and gives their scenarios as cases, in that order. It refuses a file
// without scenarios, a step that no sentence reads, a scenario without an id or a level, and an id that stands twice;
// each complaint names file and line.
func Plan(fsys fs.FS, paths []string, tags string) ([]Case, error) {
	language, err := scenarios.Compile(Verbs())
	if err != nil {
		return nil, err
	}
	suite := godog.TestSuite{Options: &godog.Options{FS: fsys, Paths: paths, Tags: tags, Output: io.Discard, Strict: true}}
	files, err := suite.RetrieveFeatures()
	if err != nil {
		return nil, fmt.Errorf("read the features: %w", err)
	}
	p := planner{language: language, seen: map[string]string{}}
	full := map[string]bool{}
	for _, f := range files {
		full[f.Uri] = len(f.Pickles) > 0
	}
	for _, path := range paths {
		if !full[path] && tags == "" { // godog drops such a file without a word
			p.complain(path, 1, "the file has no scenario (a misspelt \"Scenario:\" becomes a description)")
		}
	}
	for _, f := range files {
		for _, pickle := range f.Pickles {
			p.add(f.Feature, pickle)
		}
	}
	p.checkAfter(tags)
	return p.cases, p.problem()
}

// problem joins the complaints; past the first few more would only hide them.
func (p *planner) problem() error {
	const most = 10
	if n := len(p.problems); n > most {
		p.problems = append(p.problems[:most:most], fmt.Errorf("and %d more", n-most))
	}
	return errors.Join(p.problems...)
}

type planner struct {
	language *scenarios.Language
	cases    []Case
	seen     map[string]string
	problems []error
}

func (p *planner) complain(uri string, line int64, format string, args ...any) {
	p.problems = append(p.problems, fmt.Errorf("%s:%d: %s", uri, line, fmt.Sprintf(format, args...)))
}

func (p *planner) add(f *messages.Feature, pickle *messages.Pickle) {
	at := placeOf(pickle)
	c := Case{
		Title: pickle.Name, Feature: f.Name, About: strings.TrimSpace(f.Description),
		Why: descriptionAt(f, pickle), URI: at.uri, Line: int(at.line),
	}
	p.readTags(&c, at, pickle.Tags)
	for _, s := range pickle.Steps {
		p.addStep(&c, at, s)
	}
	if before, twice := p.seen[c.ID]; twice {
		p.complain(at.uri, at.line, "the id %q stands already at %s", c.ID, before)
	}
	p.seen[c.ID] = fmt.Sprintf("%s:%d", at.uri, at.line)
	p.cases = append(p.cases, c)
}

// descriptionAt finds the text below a scenario's title. A pickle names the scenario it was made from by its id.
func descriptionAt(f *messages.Feature, pickle *messages.Pickle) string {
	for _, child := range f.Children {
		if s := child.Scenario; s != nil && slices.Contains(pickle.AstNodeIds, s.Id) {
			return strings.TrimSpace(s.Description)
		}
	}
	return ""
}

func (p *planner) readTags(c *Case, at place, tags []*messages.PickleTag) {
	for _, t := range tags {
		name := strings.TrimPrefix(t.Name, "@")
		c.Tags = append(c.Tags, t.Name)
		word, value, _ := strings.Cut(name, ":")
		switch word {
		case "id":
			c.ID = value
		case "must", "should", "may":
			c.Level = targets.Level(word)
		case "ref":
			c.Source = append(c.Source, value)
		case "needs":
			c.Needs = append(c.Needs, targets.Need(value))
			c.Loud = c.Loud || loudNeeds[targets.Need(value)]
			if _, known := needs[targets.Need(value)]; !known {
				p.complain(at.uri, at.line, "there is no need called %q", value)
			}
		case "after":
			c.After = value
		}
	}
	if c.ID == "" {
		p.complain(at.uri, at.line, "the scenario %q has no @id: tag", c.Title)
	}
	if c.Level == "" {
		p.complain(at.uri, at.line, "the scenario %q has no level (@must, @should or @may)", c.Title)
	}
}

func (p *planner) addStep(c *Case, at place, s *messages.PickleStep) {
	c.Steps = append(c.Steps, s.Text)
	m, err := p.language.Recognise(s.Text)
	if err == nil {
		err = m.Verb.CheckTable(tableOf(s))
	}
	if err != nil {
		p.complain(at.uri, at.line, "%s: %v", c.ID, err)
		return
	}
	m.Fill(tableOf(s))
	for _, r := range table() {
		if r.Name != m.Verb.Name {
			continue
		}
		c.Loud, c.Long = c.Loud || r.loud, c.Long || r.long
		if r.cost != nil {
			spent := r.cost(m.Args)
			c.Requests += spent.requests + spent.readings
			c.Records += spent.records
		}
	}
}

// checkAfter refuses a case that stands on one which does not exist, or which itself stands on another: the order of
// the run has two tiers and no more.
func (p *planner) checkAfter(tags string) {
	for _, c := range p.cases {
		if c.After == "" || tags != "" {
			continue
		}
		i := slices.IndexFunc(p.cases, func(o Case) bool { return o.ID == c.After })
		switch {
		case i < 0:
			p.complain(c.URI, int64(c.Line), "%s stands on %q, which does not exist", c.ID, c.After)
		case p.cases[i].After != "" || p.cases[i].Loud:
			p.complain(c.URI, int64(c.Line), "%s stands on %q, which is not a case of the first tier", c.ID, c.After)
		}
	}
}

// tableOf gives the rows of the table below a step; nil without one.
func tableOf(s *messages.PickleStep) [][]string {
	if s.Argument == nil || s.Argument.DataTable == nil {
		return nil
	}
	var rows [][]string
	for _, r := range s.Argument.DataTable.Rows {
		var cells []string
		for _, c := range r.Cells {
			cells = append(cells, c.Value)
		}
		rows = append(rows, cells)
	}
	return rows
}
