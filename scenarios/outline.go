package scenarios

import (
	"slices"
	"strconv"
	"strings"
)

// outline collects the columns of a Scenario Outline while its steps are written. Each column holds a text as it stands
// in the place it is for: a phrase of a sentence, the cell of a table, or JSON.
type outline struct {
	each    []Variant
	columns []column
	taken   []string // names that stand in angle brackets and are no column
}

type column struct {
	name   string
	values []string
}

// reserve keeps columns from having a name that a title has in angle brackets and that is no value.
func (o *outline) reserve(title string) {
	for _, found := range variable.FindAllStringSubmatch(title, -1) {
		o.taken = append(o.taken, found[1])
	}
}

// title gives a title with the values of the variants in it.
func (o *outline) title(text string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		name := found[1 : len(found)-1]
		if len(o.each) == 0 || !slices.Contains(names(o.each[0]), name) {
			return found
		}
		var values []string
		for _, v := range o.each {
			values = append(values, tamed(v.Values[name]))
		}
		return o.column(values, name)
	})
}

// nameFor names the column of an argument: after the variants' value where the argument is nothing else.
func nameFor(text, arg string) string {
	if m := variable.FindStringSubmatch(text); m != nil && m[0] == text {
		return m[1]
	}
	return arg
}

// word gives a text as it is, or the column that holds it where the variants have different ones.
func (o *outline) word(values []string, name string) string {
	if len(values) == 1 || len(slices.Compact(slices.Clone(values))) == 1 {
		return values[0]
	}
	return o.column(values, name)
}

// column gives "<name>" of the column with these values; a new one where there is none yet.
func (o *outline) column(values []string, name string) string {
	for _, c := range o.columns {
		if slices.Equal(c.values, values) {
			return "<" + c.name + ">"
		}
	}
	unique := name
	for n := 2; o.has(unique); n++ {
		unique = name + "-" + strconv.Itoa(n)
	}
	o.columns = append(o.columns, column{unique, values})
	return "<" + unique + ">"
}

func (o *outline) has(name string) bool {
	if slices.ContainsFunc(o.columns, func(c column) bool { return c.name == name }) {
		return true
	}
	return slices.Contains(o.taken, name) && (len(o.each) == 0 || !slices.Contains(names(o.each[0]), name))
}

// examples writes one table for each variant, so that each has its own tags.
func (o *outline) examples(w *writer, id string) {
	for i, v := range o.each {
		tags := []string{"@id:" + id + "[" + v.Label + "]"}
		for _, n := range v.Needs {
			tags = append(tags, "@needs:"+n)
		}
		head, row := "| the variant |", "| "+escapeCell(v.Label)+" |"
		for _, c := range o.columns {
			head += " " + c.name + " |"
			row += " " + escapeCell(c.values[i]) + " |"
		}
		w.line(v.at, 0, "")
		w.line(v.at, 2, strings.Join(tags, " "))
		w.line(v.at, 2, "Examples:")
		w.line(v.at, 3, head)
		w.line(v.at, 3, row)
	}
}
