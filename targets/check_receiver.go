package targets

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checkReceiver makes sure that events can be delivered, told apart, and found again by what they make.
func checkReceiver(d *decoder, t *Target) {
	r := t.Receiver
	if r == nil {
		return
	}
	switch {
	case r.Line == "":
		d.missing("receiver", "for example `request: POST /webhooks`", "receiver needs a request line")
	case !r.Mentions("marker"):
		d.missing("receiver", "put it into a field that the effect keeps and the observer can search",
			"receiver: {{marker}} must stand in what is delivered")
	}
	checkParts(d, r)
	checkRenewed(d, t)
	checkSign(d, r.Sign)
	checkID(d, "receiver.id", r.ID)
	if r.Delete != "" && len(t.Operations) > 0 {
		d.fail("receiver.delete", "operations.<name>.delete", "receiver.delete: where there are operations, they say how their records are deleted")
	}
	checkStatuses(d, "receiver.ack", r.Ack.Status, nil)
	for i, s := range r.Ack.Status {
		if s < 200 || s > 299 {
			d.fail(item("receiver.ack.status", i), "", "receiver.ack.status: %d acknowledges nothing; a sender goes by 2xx", s)
		}
	}
	if r.Operation != "" && t.Operations.Named(r.Operation) == nil {
		d.fail("receiver.operation", suggest(r.Operation, namesOf(t.Operations)), "receiver.operation: there is no operation %q", r.Operation)
	}
}

// checkParts holds the places of the event id and of the fact against what can be written there.
func checkParts(d *decoder, r *Receiver) {
	if len(r.EventID) == 0 {
		d.missing("receiver", "for example `event_id: Webhook-Id`, a header, or `event_id: /id`, a JSON pointer",
			"receiver needs event_id: what makes two deliveries the same event")
	}
	for i, at := range r.EventID {
		checkEventPlace(d, r, item("receiver.event_id", i), at)
		if slices.Index(r.EventID, at) < i {
			d.fail(item("receiver.event_id", i), "", "receiver.event_id: %q is given twice", at)
		}
	}
	if len(r.EventID) > 0 && !r.changes() {
		d.missing("receiver.event_id", "let {{event_id}} stand at one of them",
			"receiver.event_id: every event would have the same id")
	}
	for i, at := range r.Fact {
		checkEventPlace(d, r, item("receiver.fact", i), at)
	}
	for _, at := range slices.Sorted(maps.Keys(r.Other)) {
		if !slices.Contains(r.EventID, at) {
			d.fail("receiver.other", suggest(at, r.EventID), "receiver.other: %q is no part of event_id", at)
		}
	}
}

// checkRenewed refuses parts of the event id that are new in each delivery.
func checkRenewed(d *decoder, t *Target) {
	delivery := t.Profile.Delivery
	if delivery == nil {
		return
	}
	for i, at := range t.Receiver.EventID {
		same := func(other string) bool { return strings.EqualFold(partNamed(other), at) }
		if slices.ContainsFunc(delivery.Renewed, same) || delivery.Attempt != "" && same(delivery.Attempt) {
			d.fail(item("receiver.event_id", i), "take what stays the same when an event is delivered again",
				"receiver.event_id: %s is new in each delivery (delivery.renewed, delivery.attempt)", at)
		}
	}
}

// changes reports whether two events have two ids, as far as that can be told without a target.
func (r Receiver) changes() bool {
	var ids [2]string
	for i := range ids {
		vars := Vars{}
		for _, name := range VarNames() {
			vars[name] = fmt.Sprint(name, i)
		}
		a, err := r.Build("http://127.0.0.1", nil, vars)
		if err != nil {
			return true // what is wrong with it is said elsewhere
		}
		ids[i] = a.Key
	}
	return ids[0] != ids[1]
}

func checkEventPlace(d *decoder, r *Receiver, path, at string) {
	if !isPointer(at) {
		if err := headerOK(at, ""); err != nil {
			d.fail(path, "a JSON pointer begins with /", "%s: %s", path, err)
		}
		return
	}
	if _, err := pointerTokens(at); err != nil {
		d.fail(path, "", "%s: %s", path, err)
	} else if !r.Body.IsJSON() {
		d.fail(path, "", "%s: %s points into a JSON body, and the receiver is sent none", path, at)
	}
}

func checkSign(d *decoder, s *Sign) {
	if s == nil {
		return
	}
	const at = "receiver.sign"
	checkScheme(d, at, *s)
	if s.Secret == "" {
		d.missing(at, "for example `secret: ${WEBHOOK_SECRET}`", "%s needs a secret", at)
	} else if _, err := s.key(); err != nil {
		d.fail(at+".secret", "", "%s.secret: %s", at, err)
	}
}

// checkScheme wants a scheme of signatures and a header to put them into.
func checkScheme(d *decoder, at string, s Sign) {
	if s.Scheme == "" {
		d.missing(at, words(Schemes()), "%s needs a scheme", at)
	}
	if name := s.header(); name != "" {
		if err := headerOK(name, ""); err != nil {
			d.fail(at+".header", "", "%s.header: %s", at, err)
		}
	} else if s.Scheme != "" {
		d.missing(at, "for example `header: X-Signature`", "%s needs header: %s has none of its own", at, s.Scheme)
	}
}
