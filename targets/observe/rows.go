package observe

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// result is what a query gave. What it means follows from its columns and never from the number of its rows, so that a
// query means the same before and after a duplicate:
//
//   - two columns are an id and the id of the record it belongs to (NULL: none)
//   - one column called id or …_id, or of anything but whole numbers, holds ids
//   - any other column of whole numbers is a count, and has one row (none at all is a count of 0)
//
// So `select count(*) …` is a count, and `select id …` is a list even where it finds a single row with a number. For
// ids that are numbers in a column of another name, select two columns, write `as id`, or cast to text.
type result struct {
	columns []column
	rows    [][]any // int64, float64, string, []byte, time.Time …, nil for NULL: what database/sql scans into any
}

type column struct {
	name    string
	numeric bool // of an exact number type, whose values may arrive as text
}

// errRows refuses a result that is too long to be what was meant.
var errRows = fmt.Errorf("the result has more than %d rows", maxItems)

func (r result) tally() (tally, error) {
	switch len(r.columns) {
	case 1:
		if r.counts() {
			return r.number()
		}
		return r.list()
	case 2:
		return r.list()
	}
	return tally{}, fmt.Errorf("it has %d columns: one (a count, or ids) or two (id, ref) are needed", len(r.columns))
}

// counts reports whether the only column is a count: whole numbers under a name that is not an id's. A NULL alone is
// taken for a count that is missing (sum over nothing).
func (r result) counts() bool {
	name := strings.ToLower(r.columns[0].name)
	if name == "id" || strings.HasSuffix(name, "_id") || len(r.rows) == 0 {
		return false
	}
	for _, row := range r.rows {
		if _, ok := whole(row[0], r.columns[0].numeric); !ok && row[0] != nil {
			return false
		}
	}
	return true
}

func (r result) number() (tally, error) {
	if len(r.rows) > 1 {
		return tally{}, fmt.Errorf("%d rows of whole numbers in %q are neither one count nor surely ids: "+
			"write one count(*), or name the column id", len(r.rows), r.columns[0].name)
	}
	n, ok := whole(r.rows[0][0], r.columns[0].numeric)
	switch {
	case !ok:
		return tally{}, errors.New("it is NULL and not a count")
	case n < 0 || n > math.MaxInt32:
		return tally{}, fmt.Errorf("%d is not a count", n)
	}
	return tally{count: int(n)}, nil
}

func (r result) list() (tally, error) {
	t := tally{count: len(r.rows), ids: []string{}}
	if len(r.columns) == 2 {
		t.refs = []string{}
	}
	for i, row := range r.rows {
		id := cellText(row[0])
		if id == "" {
			return tally{}, fmt.Errorf("row %d has no id in column %q", i+1, r.columns[0].name)
		}
		t.ids = append(t.ids, id)
		if t.refs != nil {
			t.refs = append(t.refs, cellText(row[1]))
		}
	}
	return t, nil
}

// whole reads a cell as a whole number. Text is one only in a numeric column (what sum gives); "42" in a text column is
// an id.
func whole(cell any, numeric bool) (int64, bool) {
	switch v := cell.(type) {
	case int64:
		return v, true
	case uint64:
		return int64(min(v, math.MaxInt64)), true
	case float64:
		return int64(v), v == math.Trunc(v) && math.Abs(v) < 1<<53
	case []byte:
		return whole(string(v), numeric)
	case string:
		text, fraction, _ := strings.Cut(v, ".")
		n, err := strconv.ParseInt(text, 10, 64)
		return n, numeric && err == nil && strings.Trim(fraction, "0") == ""
	}
	return 0, false
}

// cellText writes a cell as an id; "" for NULL. Bytes that are no text (a UUID in binary) are written in hexadecimal.
func cellText(cell any) string {
	switch v := cell.(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		if utf8.Valid(v) {
			return string(v)
		}
		return hex.EncodeToString(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(cell)
}
