package steps

import (
	messages "github.com/cucumber/messages/go/v34"

	"github.com/idempotency-conformance/idemcheck/scenarios"
)

// understand reads a step of Gherkin: its sentence, and what stands in a table or in a doc string below it.
func understand(l *scenarios.Language, s *messages.PickleStep) (scenarios.Match, error) {
	m, err := l.Recognise(s.Text)
	if err != nil {
		return m, err
	}
	rows := tableOf(s)
	if err := m.Verb.CheckTable(rows); err != nil {
		return m, err
	}
	m.Fill(rows)
	if s.Argument != nil && s.Argument.DocString != nil {
		return m, m.FillJSON(s.Argument.DocString.Content)
	}
	return m, nil
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

// stepLines gives the line of each step of a feature by its id.
func stepLines(f *messages.Feature) map[string]int64 {
	lines := map[string]int64{}
	note := func(steps []*messages.Step) {
		for _, s := range steps {
			lines[s.Id] = s.Location.Line
		}
	}
	for _, child := range f.Children {
		if child.Background != nil {
			note(child.Background.Steps)
		}
		if child.Scenario != nil {
			note(child.Scenario.Steps)
		}
		if child.Rule == nil {
			continue
		}
		for _, inner := range child.Rule.Children {
			if inner.Background != nil {
				note(inner.Background.Steps)
			}
			if inner.Scenario != nil {
				note(inner.Scenario.Steps)
			}
		}
	}
	return lines
}
