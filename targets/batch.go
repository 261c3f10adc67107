package targets

import (
	"bytes"
	"fmt"
	"strconv"
)

// DefaultRows is how many rows a batch has where the file does not say.
const DefaultRows = 200

// Batch is a write of many rows in one request and under one key, each of which makes a record of the main operation.
// In the body {{rows}} stands for the list of rows (in a text body: one row per line), in a row {{row}} for its number
// from 1.
type Batch struct {
	Request `yaml:",inline"`
	Row     *Body `yaml:"row"`
	Rows    int   `yaml:"rows"`    // default 200
	Invalid *Body `yaml:"invalid"` // row members whose change makes a row that the target refuses
	Atomic  *bool `yaml:"atomic"`  // whether one bad row keeps all others out; nil: not said
}

// Size is how many rows the batch has.
func (b Batch) Size() int {
	if b.Rows > 0 {
		return b.Rows
	}
	return DefaultRows
}

// rowsHere stands for the rows until they are put in.
const rowsHere = "idemcheck-rows-of-the-batch"

// Row is one row of a batch: its number, and whether it is one that the target refuses.
type Row struct {
	Number int
	Bad    bool
}

// RowsTo gives the rows 1 to n.
func RowsTo(n int) []Row {
	list := make([]Row, n)
	for i := range list {
		list[i].Number = i + 1
	}
	return list
}

// Build renders a batch of some rows.
func (b Batch) Build(base string, headers map[string]string, vars Vars, list []Row) (Attempt, error) {
	var rows [][]byte
	for _, r := range list {
		var change *Body
		if r.Bad {
			change = b.Invalid
		}
		row, err := b.Row.RenderWith(vars.With(Vars{"row": strconv.Itoa(r.Number)}), change)
		if err != nil {
			return Attempt{}, fmt.Errorf("render row %d of the batch: %w", r.Number, err)
		}
		rows = append(rows, row)
	}
	body, err := b.Body.Render(vars.With(Vars{"rows": rowsHere}))
	if err != nil {
		return Attempt{}, fmt.Errorf("render the batch: %w", err)
	}
	if b.Body.IsJSON() {
		body = bytes.Replace(body, []byte(`"`+rowsHere+`"`), append(append([]byte("["), bytes.Join(rows, []byte(","))...), ']'), 1)
	} else {
		body = bytes.Replace(body, []byte(rowsHere), bytes.Join(rows, []byte("\n")), 1)
	}
	return b.BuildBody(base, headers, vars, body)
}

// checkBatch makes sure that the rows reach the request and can be found again.
func checkBatch(d *decoder, b *Batch) {
	if b == nil {
		return
	}
	switch {
	case b.Line == "":
		d.missing("batch", "for example `request: POST /v1/orders/batch`", "batch needs a request line")
	case b.Body == nil || !b.Body.mentions("rows"):
		d.missing("batch", "for example `body: {orders: \"{{rows}}\"}`", "batch: {{rows}} must stand in its body")
	case b.Row == nil || !b.Row.mentions("marker"):
		d.missing("batch", "", "batch.row: {{marker}} must stand in a row, by which its record is found again")
	case b.Invalid != nil && (b.Invalid.Members() == nil || b.Row.Members() == nil):
		d.fail("batch.invalid", "", "batch.invalid: it changes members of a row, so both must be mappings")
	case b.Rows < 0 || b.Rows > 10_000:
		d.fail("batch.rows", "", "batch.rows: %d is not between 1 and 10000", b.Rows)
	}
}
