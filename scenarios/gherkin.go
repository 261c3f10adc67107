package scenarios

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Gherkin is a file of scenarios as Gherkin, with the way back to the lines it was made from.
type Gherkin struct {
	Path string
	Text []byte
	from []Position // of line i+1
}

// At gives the place in the file that a line of the Gherkin was made from. Lines count from 1.
func (g *Gherkin) At(line int) Position {
	if line < 1 || line > len(g.from) {
		return Position{}
	}
	return g.from[line-1]
}

// Compile writes a file of scenarios as Gherkin. The file must have been loaded without mistakes.
func (f *File) Compile() (*Gherkin, error) {
	w := &writer{Gherkin: Gherkin{Path: f.Path}}
	w.line(f.at, 0, "Feature: "+f.Feature)
	w.prose(f.at, 1, f.About)
	for _, s := range f.Scenarios {
		if err := w.scenario(s); err != nil {
			return nil, fmt.Errorf("%s:%d:%d: write %s as Gherkin: %w", f.Path, s.at.Line, s.at.Column, s.ID, err)
		}
	}
	return &w.Gherkin, nil
}

// writer collects lines with the places that they come from.
type writer struct{ Gherkin }

func (w *writer) line(at Position, depth int, text string) {
	w.Text = append(w.Text, strings.TrimRight(strings.Repeat("  ", depth)+text, " ")+"\n"...)
	w.from = append(w.from, at)
}

// prose writes a description. A line that would be read as something else gets a dash before it.
func (w *writer) prose(at Position, depth int, text string) {
	for line := range strings.Lines(text) {
		line = oneLine(line)
		if first := strings.IndexAny(line, "@#|*\"`:"); first == 0 || strings.Contains(line, ":") || startsStep(line) {
			line = "- " + line
		}
		w.line(at, depth, line)
	}
}

func startsStep(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	return strings.Contains(" Given When Then And But ", " "+word+" ")
}

func (w *writer) scenario(s Scenario) error {
	o := &outline{each: s.Each}
	o.reserve(s.Title)
	w.line(s.at, 0, "")
	kind := "Scenario: "
	if len(s.Each) > 0 {
		kind = "Scenario Outline: "
	}
	w.line(s.at, 1, strings.Join(tagsOf(s), " "))
	w.line(s.at, 1, kind+o.title(s.Title))
	w.prose(s.at, 2, s.Why)
	last := ""
	for _, step := range s.Steps {
		keyword := step.Keyword
		if keyword == last {
			keyword = "And"
		}
		last = step.Keyword
		if err := w.step(step, keyword, o); err != nil {
			return err
		}
	}
	o.examples(w, s.ID)
	return nil
}

// tagsOf gives the tags of a scenario. The variants of an outline have ids of their own.
func tagsOf(s Scenario) []string {
	var tags []string
	if len(s.Each) == 0 {
		tags = append(tags, "@id:"+s.ID)
	}
	tags = append(tags, "@"+s.Level)
	if s.After != "" {
		tags = append(tags, "@after:"+s.After)
	}
	for _, n := range s.Needs {
		tags = append(tags, "@needs:"+n)
	}
	for _, t := range s.Tags {
		tags = append(tags, "@"+t)
	}
	for _, src := range s.Source {
		tags = append(tags, "@ref:"+src)
	}
	return tags
}

func (w *writer) step(s Step, keyword string, o *outline) error {
	way, ok := s.Verb.say(s.values(o.each))
	if !ok {
		return fmt.Errorf("no sentence says %s with these arguments", s.Verb.Name)
	}
	text := placeholder.ReplaceAllStringFunc(way.sentence.Text, func(found string) string {
		name := found[1 : len(found)-1]
		return o.word(way.words[name], nameFor(s.Args[name], name))
	})
	if s.Later {
		text = Later + text
	}
	w.line(s.at, 2, keyword+" "+number(text, way.words))
	return w.below(s, way.rest, o)
}

// number settles the optional s of a sentence by its number.
func number(text string, words map[string][]string) string {
	if n := words["count"]; len(n) == 1 && n[0] == "1" {
		return strings.ReplaceAll(strings.ReplaceAll(text, "record(s) exist(s)", "record exists"), "(s)", "")
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "exist(s)", "exist"), "(s)", "s")
}

// below writes the arguments that a sentence does not say: as a table where its cells can hold them, else as JSON.
func (w *writer) below(s Step, rest []string, o *outline) error {
	if len(rest) == 0 {
		return nil
	}
	values := s.values(o.each)
	for _, name := range rest {
		for _, text := range values[name] {
			if !plain(strings.ReplaceAll(text, `"`, "")) || strings.TrimSpace(text) != text {
				return w.json(s, rest, values, o)
			}
		}
	}
	wide := 0
	for _, name := range rest {
		wide = max(wide, len(name))
	}
	for _, name := range rest {
		cell := o.word(values[name], nameFor(s.Args[name], name))
		w.line(s.places[name], 3, fmt.Sprintf("| %-*s | %s |", wide, strings.ReplaceAll(name, "_", " "), escapeCell(cell)))
	}
	return nil
}

// json writes arguments as a JSON object in a doc string. Backticks enclose it: JSON itself has none that are escaped.
func (w *writer) json(s Step, rest []string, values map[string][]string, o *outline) error {
	n := 1
	for _, name := range rest {
		n = max(n, len(values[name]))
	}
	objects := make([]string, n)
	for i := range objects {
		members := map[string]any{}
		for _, name := range rest {
			text := values[name][min(i, len(values[name])-1)]
			members[name] = text
			if s.Verb.arg(name).JSON && strings.IndexAny(text, "{[") == 0 && json.Valid([]byte(text)) {
				members[name] = json.RawMessage(text)
			}
		}
		var err error
		if objects[i], err = jsonText(members); err != nil {
			return err
		}
	}
	w.line(s.at, 3, "```")
	w.line(s.at, 3, o.word(objects, "arguments"))
	w.line(s.at, 3, "```")
	return nil
}

var cellEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\n", `\n`)

func escapeCell(text string) string { return cellEscapes.Replace(text) }
