package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Sample is one create of two unrelated ones, from which it is learned what differs between any two answers.
type Sample struct {
	Sent   []byte // the body of the request
	Answer []byte // the body of the answer
	ID     string // the record id in it
	Record []byte // what the read call gave for the record; nil where there is none
}

// Volatile gives the RFC 6901 pointers of the members that two answers to unrelated creates have in common and whose
// values differ for no reason that the requests or the records give: dates of the answer, request ids. What holds the
// record's id or repeats what was sent is none of them, nor is what the record itself holds: that a record's own
// created_at changes in a replay is a fault. Members of lists are not looked at.
func Volatile(one, two Sample) []string {
	a, b := leaves(one.Answer), leaves(two.Answer)
	var list []string
	for pointer, value := range a {
		other, both := b[pointer]
		if both && value != other && one.unexplained(value) && two.unexplained(other) {
			list = append(list, pointer)
		}
	}
	slices.Sort(list)
	return list
}

// unexplained reports whether a value of the answer comes neither from the request nor from the record.
func (s Sample) unexplained(value string) bool {
	if s.ID != "" && strings.Contains(value, s.ID) {
		return false
	}
	for _, known := range leaves(s.Sent) {
		if known == value || len(known) >= 4 && strings.Contains(value, known) {
			return false
		}
	}
	for _, known := range leaves(s.Record) {
		if known == value {
			return false
		}
	}
	return true
}

// leaves gives the texts, numbers and booleans of a JSON object by their pointers. What is no object has none.
func leaves(body []byte) map[string]string {
	var value any
	out := map[string]string{}
	if json.Unmarshal(body, &value) == nil {
		collect(out, "", value)
	}
	return out
}

func collect(out map[string]string, at string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			collect(out, at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), inner)
		}
	case string, float64, bool:
		if at != "" {
			out[at] = fmt.Sprint(v)
		}
	}
}
