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
	Line     int // of the user's file
	Steps    []string
	Lines    []int // of the steps
	Requests int   // at most
	Records  int   // at most
	Loud     bool
	Long     bool     // a sweep: each of its parts has a deadline of its own
	Parted   bool     // it has parts that can be selected
	Parts    []string // globs of the parts to run; none: all
	NotParts []string // globs of the parts not to run

	Operations []string // named ones that it needs
	Shard      string   // "3/4": the shard that reports it; empty in a run that is not split
	Elsewhere  bool     // it is not run in this shard
	at         place
}

// PlanError is a mistake in a scenario, at the place in the user's file where it stands. Column is 0 where it is not
// known.
type PlanError struct {
	File string
	scenarios.Position
	Msg string
}

// Error gives the mistake in one line.
func (e *PlanError) Error() string {
	if e.Column == 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// origins is a file system whose files were made from others.
type origins interface {
	At(path string, line int) scenarios.Position
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
	p := planner{language: language, seen: map[string]string{}, rows: map[string]row{}}
	p.origins, _ = fsys.(origins)
	for _, r := range table() {
		p.rows[r.Name] = r
	}
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

func (p *planner) ids() []string {
	var list []string
	for _, c := range p.cases {
		list = append(list, c.ID)
	}
	return list
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
	rows     map[string]row
	origins  origins // nil: the features are the user's files
	cases    []Case
	seen     map[string]string
	problems []error
}

func (p *planner) complain(uri string, line int64, format string, args ...any) {
	p.problems = append(p.problems, &PlanError{uri, p.from(uri, line), fmt.Sprintf(format, args...)})
}

// from gives the place in the user's file that a line of Gherkin comes from.
func (p *planner) from(uri string, line int64) scenarios.Position {
	if p.origins == nil {
		return scenarios.Position{Line: int(line)}
	}
	return p.origins.At(uri, int(line))
}

func (p *planner) add(f *messages.Feature, pickle *messages.Pickle) {
	at := placeOf(pickle)
	c := Case{
		Title: pickle.Name, Feature: f.Name, About: strings.TrimSpace(f.Description),
		Why: descriptionAt(f, pickle), URI: at.uri, Line: p.from(at.uri, at.line).Line, at: at,
	}
	p.readTags(&c, at, pickle.Tags)
	lines := stepLines(f)
	for _, s := range pickle.Steps {
		p.addStep(&c, place{at.uri, lines[s.AstNodeIds[0]]}, s)
	}
	if before, twice := p.seen[c.ID]; twice && c.ID != "" {
		p.complain(at.uri, at.line, "the id %q stands already at %s", c.ID, before)
	}
	p.seen[c.ID] = fmt.Sprintf("%s:%d", c.URI, c.Line)
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
				p.complain(at.uri, at.line, "there is no need called %q%s", value, scenarios.Suggest(value, needNames()))
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
	c.Steps, c.Lines = append(c.Steps, s.Text), append(c.Lines, p.from(at.uri, at.line).Line)
	m, err := understand(p.language, s)
	if err != nil {
		p.complain(at.uri, at.line, "%s: %v", c.ID, err)
		return
	}
	r := p.rows[m.Verb.Name]
	if err := r.read(m.Args); err != nil {
		p.complain(at.uri, at.line, "%s: %s: %v", c.ID, m.Verb.Name, err)
		return
	}
	if name := m.Args["operation"]; named(name) && !slices.Contains(c.Operations, name) {
		c.Operations = append(c.Operations, name)
	}
	c.Loud, c.Long = c.Loud || r.loud, c.Long || r.long
	c.Parted = c.Parted || r.long || r.parted
	if r.cost != nil {
		spent := r.cost(m.Args)
		c.Requests += spent.requests + spent.readings
		c.Records += spent.records
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
			p.complain(c.at.uri, c.at.line, "%s stands on %q, which does not exist%s", c.ID, c.After, scenarios.Suggest(c.After, p.ids()))
		case p.cases[i].After != "" || p.cases[i].Loud:
			p.complain(c.at.uri, c.at.line, "%s stands on %q, which is not a case of the first tier", c.ID, c.After)
		}
	}
}
