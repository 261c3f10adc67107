package observe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// errOutput is what an output is not.
var errOutput = errors.New("its output is neither a whole number nor a JSON array of ids")

// parseOutput reads what a command printed: a whole number (the count), or a JSON array with one entry for each thing
// counted. An entry is an id (text or number) or an object {"id": …, "ref": …} whose ref is the id of the record it
// belongs to. Space around it is ignored.
func parseOutput(out []byte) (tally, error) {
	out = bytes.TrimSpace(out)
	if n, err := strconv.ParseUint(string(out), 10, 31); err == nil {
		return tally{count: int(n)}, nil
	}
	if !bytes.HasPrefix(out, []byte("[")) {
		return tally{}, errOutput
	}
	d := json.NewDecoder(bytes.NewReader(out))
	d.UseNumber() // ids beyond 2^53 stay what they are
	var entries []any
	if err := d.Decode(&entries); err != nil {
		return tally{}, fmt.Errorf("%w (%v)", errOutput, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return tally{}, errOutput
	}
	return tallyEntries(entries)
}

func tallyEntries(entries []any) (tally, error) {
	t := tally{count: len(entries), ids: []string{}}
	refs, named := make([]string, 0, len(entries)), false
	for i, e := range entries {
		var ref any
		if o, ok := e.(map[string]any); ok {
			e, ref = o["id"], o["ref"]
		}
		id, ok := idText(e)
		if !ok || id == "" {
			return tally{}, fmt.Errorf("entry %d of its output has no id", i+1)
		}
		refText, ok := idText(ref)
		if !ok && ref != nil {
			return tally{}, fmt.Errorf("the ref of entry %d of its output is neither text nor number", i+1)
		}
		t.ids, refs, named = append(t.ids, id), append(refs, refText), named || ref != nil
	}
	if named {
		t.refs = refs
	}
	return t, nil
}

func idText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return "", false
}
