package reports

import (
	"bufio"
	"bytes"
	_ "embed" // the published schemas
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed report.schema.json
var reportSchema []byte

//go:embed event.schema.json
var eventSchema []byte

// ReportSchema gives the JSON Schema (draft 2020-12) of the JSON report.
func ReportSchema() []byte { return bytes.Clone(reportSchema) }

// EventSchema gives the JSON Schema (draft 2020-12) of one line of the event stream, as this version writes it. Readers
// skip kinds of event that they do not know.
func EventSchema() []byte { return bytes.Clone(eventSchema) }

// JSON writes the report as one indented JSON document, its members in the order of the types.
func JSON(w io.Writer, r Report) error {
	cases := r.Cases
	if len(cases) > 0 {
		r.Cases = []Case{}
	}
	doc, err := encode(r, "  ")
	if err != nil {
		return fmt.Errorf("encode the JSON report: %w", err)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err := errors.Join(writeJSON(out, doc, cases), out.Flush()); err != nil {
		return fmt.Errorf("write the JSON report: %w", err)
	}
	return nil
}

// noCases is how a document without cases says so: no text in it can hold a line feed.
const noCases = "\n  \"cases\": []"

// writeJSON writes the document with the cases in it, one by one: all of them at once would take many times the memory.
func writeJSON(w *bufio.Writer, doc []byte, cases []Case) error {
	front, back, ok := bytes.Cut(doc, []byte(noCases))
	if !ok || len(cases) == 0 {
		_, err := w.Write(doc)
		return err
	}
	_, err := w.Write(append(front, strings.TrimSuffix(noCases, "]")...))
	if err != nil {
		return err
	}
	if err := writeBatches(w, len(cases), func(w *bytes.Buffer, i int) error { return writeJSONCase(w, cases[i], i == 0) }); err != nil {
		return err
	}
	_, err = w.WriteString("\n  ]" + string(back))
	return err
}

// writeJSONCase writes one case of a list.
func writeJSONCase(w *bytes.Buffer, c Case, first bool) error {
	c, err := c.whole()
	if err != nil {
		return err
	}
	var doc bytes.Buffer
	if err := newEncoder(&doc, "    ", "  ").Encode(c); err != nil {
		return err
	}
	if !first {
		w.WriteString(",")
	}
	w.WriteString("\n    ")
	w.Write(bytes.TrimSuffix(printableJSON(doc.Bytes()), []byte("\n")))
	return nil
}

// encode gives v as JSON that ends in a line feed. It leaves <, > and & as they are, for the sake of URLs.
func encode(v any, indent string) ([]byte, error) {
	var doc bytes.Buffer
	if err := newEncoder(&doc, "", indent).Encode(v); err != nil {
		return nil, err
	}
	return printableJSON(doc.Bytes()), nil
}

// newEncoder gives the encoder of values that may stand within another: each line but the first begins with prefix.
func newEncoder(w io.Writer, prefix, indent string) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, indent)
	return enc
}

// printableJSON writes the characters of a JSON document that do not print as escapes. The document means the same, and
// nothing that a target answered can steer the terminal that shows it.
func printableJSON(doc []byte) []byte {
	if !bytes.ContainsFunc(doc, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
		return doc // nearly every document is
	}
	out := make([]byte, 0, len(doc)+16)
	for len(doc) > 0 {
		r, n := utf8.DecodeRune(doc)
		switch {
		case r == '\n' || unicode.IsPrint(r):
			out = append(out, doc[:n]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		doc = doc[n:]
	}
	return out
}
