package targets

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Receiver is an endpoint of the target that receives events: a sender delivers them, and delivers them again until
// they are acknowledged. In its request {{event_id}} stands for the id of one event, which stays the same when it is
// delivered again; {{event}} and the others stand for what they stand for in an operation.
type Receiver struct {
	Request   `yaml:",inline"`
	EventID   Strings           `yaml:"event_id"`  // what makes two deliveries the same event: names of headers, JSON pointers into the body; several together are one compound id
	Other     map[string]string `yaml:"other"`     // by part of event_id: another value, for a part that the template fixes
	Fact      Strings           `yaml:"fact"`      // in the same way, what names the business fact that several events may tell of
	Operation string            `yaml:"operation"` // whose records an event makes; default: the main operation
	ID        string            `yaml:"id"`        // as an operation's id; most receivers name no record
	Delete    string            `yaml:"delete"`    // how what an event makes is deleted, where the file has no operation that says so: DELETE /tasks/{{id}}
	Sign      *Sign             `yaml:"sign"`
	Ack       Ack               `yaml:"ack"`
}

// Ack is how a delivery is acknowledged.
type Ack struct {
	Status Ints     `yaml:"status"` // default: any 2xx
	Within Duration `yaml:"within"` // how long the sender waits: what comes later is none; default: the target's timeout, which promises nothing
	Level  Level    `yaml:"level"`  // of a repeat that is not acknowledged; default: should
}

// OnlyOperation names the operation of a target that does nothing but receive events.
const OnlyOperation = "receive-event"

// OnlyReceives reports whether the target has no operation but that of receiving events.
func (t *Target) OnlyReceives() bool {
	return t.Receiver != nil && len(t.Operations) == 1 && t.Operations[0].Name == OnlyOperation
}

// fillReceiver takes from the profile what the section receiver leaves out and the sender documents.
func (t *Target) fillReceiver() {
	r, d := t.Receiver, t.Profile.Delivery
	if r == nil || d == nil {
		return
	}
	if len(r.EventID) == 0 {
		r.EventID = partsNamed(d.Identity)
	}
	if len(r.Fact) == 0 {
		r.Fact = partsNamed(d.Fact)
	}
	if len(r.Ack.Status) == 0 {
		r.Ack.Status = d.Ack
	}
	if r.Ack.Within == 0 {
		r.Ack.Within = d.Deadline
	}
	if replay := t.Profile.Replay; r.Ack.Level == "" && replay.Claim.Judged() && replay.Has(ModeAck) {
		r.Ack.Level = replay.Level
	}
	if r.Sign != nil && r.Sign.Scheme == "" && d.Sign != nil {
		r.Sign.Scheme = d.Sign.Scheme
		if r.Sign.Header == "" {
			r.Sign.Header = d.Sign.Header
		}
	}
}

// partsNamed gives the places of a profile as those of a receiver: a header by its bare name.
func partsNamed(places Strings) Strings {
	var list Strings
	for _, at := range places {
		list = append(list, partNamed(at))
	}
	return list
}

func partNamed(place string) string { return strings.TrimSpace(strings.TrimPrefix(place, headerID)) }

// settleReceiver fills in what the section receiver leaves out. A target that has nothing else gets an operation by
// which the effects of its events are counted.
func (t *Target) settleReceiver() {
	r := t.Receiver
	if r == nil {
		return
	}
	if len(t.Operations) == 0 {
		t.Operations = Operations{{Name: OnlyOperation, Request: r.Request, ID: r.ID, Delete: r.Delete}}
	}
	if r.Operation == "" {
		r.Operation = t.Operations[0].Name
	}
	if r.Ack.Level == "" {
		r.Ack.Level = Should
	}
	if r.Sign != nil {
		t.Secrets.Add(r.Sign.Secret)
	}
}

// RecordID gives the id of the record that an acknowledgement speaks of; mostly there is none.
func (r Receiver) RecordID(x Exchange) string { return Operation{ID: r.ID}.RecordID(x) }

// Build makes a delivery without its signature: see Sign.Seal. A part of the event id for which the template has no
// place is put there.
func (r Receiver) Build(base string, headers map[string]string, vars Vars) (Attempt, error) {
	a, err := r.Request.Build(base, headers, vars)
	if err != nil {
		return Attempt{}, err
	}
	for _, at := range r.EventID {
		if _, there := partAt(a, at); there {
			continue
		}
		if err := putPart(&a, at, vars["event_id"]); err != nil {
			return Attempt{}, fmt.Errorf("put the id of the event at %s: %w", at, err)
		}
	}
	a.Key = strings.Join(r.PartsOf(a, r.EventID), " + ")
	return a, nil
}

// Number writes the number of a delivery at a place of it (delivery.attempt): in the body as a JSON number.
func (Receiver) Number(a *Attempt, place string, n int) error {
	at, text := partNamed(place), strconv.Itoa(n)
	err := putPart(a, at, text)
	if err == nil && isPointer(at) {
		err = setPart(a, at, []byte(text))
	}
	if err != nil {
		return fmt.Errorf("number a delivery: %w", err)
	}
	return nil
}

// PartsOf gives the values at some places of a delivery, as JSON or as the header has them.
func (Receiver) PartsOf(a Attempt, places []string) []string {
	values := make([]string, len(places))
	for i, at := range places {
		part, _ := partAt(a, at)
		values[i] = strings.Trim(string(part), `"`)
	}
	return values
}

// ShareAllBut gives a delivery of another event the parts of the event id that the first has, all but one. It reports
// whether the two then differ in that one: Other helps where the template fixes it.
func (r Receiver) ShareAllBut(first Attempt, other *Attempt, part int) (differs bool, err error) {
	for i, at := range r.EventID {
		was, _ := partAt(first, at)
		is, _ := partAt(*other, at)
		switch {
		case i != part:
			err = setPart(other, at, was)
		case !bytes.Equal(was, is):
			differs = true
		case r.Other[at] != "":
			differs, err = true, putPart(other, at, r.Other[at])
		}
		if err != nil {
			return false, fmt.Errorf("set %s: %w", at, err)
		}
	}
	other.Key = strings.Join(r.PartsOf(*other, r.EventID), " + ")
	return differs, nil
}

// isPointer tells the two kinds of place apart: a JSON pointer begins with a slash, and no header's name does.
func isPointer(place string) bool { return strings.HasPrefix(place, "/") }

// partAt reads a place of a delivery: the text of a header, or the JSON of a member.
func partAt(a Attempt, place string) ([]byte, bool) {
	if !isPointer(place) {
		v := a.Header.Get(place)
		return []byte(v), v != ""
	}
	start, end, ok := spanAt(a.Body, place)
	if !ok {
		return nil, false
	}
	return a.Body[start:end], true
}

// putPart writes a text at a place.
func putPart(a *Attempt, place, text string) (err error) {
	if isPointer(place) {
		a.Body, err = SetJSONPointer(a.Body, place, text)
		return err
	}
	if err := headerOK(place, text); err != nil {
		return err
	}
	a.Header = cloneHeader(a.Header)
	a.Header.Set(place, text)
	return nil
}

// setPart writes at a place what partAt has read there.
func setPart(a *Attempt, place string, value []byte) error {
	if !isPointer(place) {
		return putPart(a, place, string(value))
	}
	start, end, ok := spanAt(a.Body, place)
	if !ok {
		return fmt.Errorf("the body has nothing at %s", place)
	}
	a.Body = bytes.Join([][]byte{a.Body[:start], value, a.Body[end:]}, nil)
	return nil
}

// spanAt finds the value at a JSON pointer in a body. Where a name stands twice the last one counts.
func spanAt(body []byte, pointer string) (start, end int, ok bool) {
	tokens, err := pointerTokens(pointer)
	if err != nil {
		return 0, 0, false
	}
	end = len(body)
	for _, token := range tokens {
		parts, err := partsOf(body[start:end])
		if err != nil {
			return 0, 0, false
		}
		ok, from := false, start
		for i, p := range parts {
			if p.name == token || p.name == "" && fmt.Sprint(i) == token {
				start, end, ok = from+p.start, from+p.end, true
			}
		}
		if !ok {
			return 0, 0, false
		}
	}
	return start, end, true
}
