package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// onlyOfServers are the sections of the reference's target file that say nothing of a receiver.
var onlyOfServers = []string{"operations", "batch", "approve", "exhaust", "relieve", "held", "lock", "callers"}

// receiverEndpoint is where the stand-in for a receiver takes events.
const receiverEndpoint = "POST /v1/webhooks/crm"

// forReceiver gives a section of the reference's target file as a stand-in for a receiver needs it; empty for one that it
// does not need. Where the id of an event stands, how it is signed and acknowledged is for the profile to say.
func forReceiver(p targets.Profile, section string) (string, error) {
	switch name, _, _ := strings.Cut(section, ":"); {
	case slices.Contains(onlyOfServers, name):
		return "", nil
	case name == "observers":
		return "observers: # the first counts the record, the others count side effects\n" + itemsNamed(section, "tasks", "mails"), nil
	case name == "receiver":
		return receiverOf(p)
	}
	return section, nil
}

// itemsNamed gives the items of a list of the file that have one of these names.
func itemsNamed(section string, names ...string) string {
	var b strings.Builder
	within := false
	for line := range strings.Lines(section) {
		if name, begins := strings.CutPrefix(line, "  - name: "); begins {
			within = slices.Contains(names, strings.TrimSpace(name))
		}
		if within || strings.TrimSpace(line) == "" {
			b.WriteString(line)
		}
	}
	return b.String()
}

// receiverSection is the section receiver of a target file, as far as a stand-in needs it.
type receiverSection struct {
	Request string            `yaml:"request"`
	Headers map[string]string `yaml:"headers,omitempty,flow"`
	Body    any               `yaml:"body"`
	EventID string            `yaml:"event_id,omitempty"`
	Other   map[string]string `yaml:"other,omitempty,flow"`
	Delete  string            `yaml:"delete"`
	Sign    *signSection      `yaml:"sign,omitempty,flow"`
}

type signSection struct {
	Secret string `yaml:"secret"`
}

// receiverOf writes the section receiver for a profile: an event in which something stands wherever the sender puts
// something, and beside that, in data, the task that it asks for.
func receiverOf(p targets.Profile) (string, error) {
	d := p.Delivery
	e := newSampleEvent(append(slices.Clone(d.Identity), d.Fact...))
	for i, at := range d.Fact {
		e.put(at, factPart(i))
	}
	for i, at := range d.Identity {
		value := "{{event_id}}" // the last part alone is new with each event: the others stay the same, and have another value
		if i < len(d.Identity)-1 {
			value = "first"
			e.Other[at] = "second"
		}
		e.put(at, value)
	}
	if len(d.Identity) == 0 {
		e.EventID = "Webhook-Id"
		e.put("header:"+e.EventID, "{{event_id}}")
	}
	if d.Sign != nil {
		e.Sign = &signSection{Secret: embeddedWebhookSecret}
	}
	return section("receiver", e.receiverSection)
}

// sampleEvent is the event of a stand-in's receiver while it is put together.
type sampleEvent struct{ receiverSection }

// newSampleEvent begins an event with the task that it asks for. It stands in a list where one of the places is in one.
func newSampleEvent(places []string) sampleEvent {
	e := sampleEvent{receiverSection{Request: receiverEndpoint, Delete: "DELETE /v1/tasks/{{id}}",
		Headers: map[string]string{}, Other: map[string]string{}, Body: map[string]any{}}}
	data := "/data/"
	if slices.ContainsFunc(places, func(at string) bool { return strings.HasPrefix(at, "/0/") }) {
		e.Body, data = []any{map[string]any{}}, "/0/data/"
	}
	for member, value := range map[string]string{"event": "{{event}}", "account": "{{target_record}}", "revision": "{{revision}}",
		"note": "{{payload}} {{marker}}"} {
		e.put(data+member, value)
	}
	return e
}

// put writes a value at a place of a profile: header:NAME or a JSON pointer.
func (e sampleEvent) put(at, value string) {
	if name, header := strings.CutPrefix(at, "header:"); header {
		e.Headers[name] = value
		return
	}
	putAt(e.Body, strings.Split(at[1:], "/"), value)
}

// embeddedWebhookSecret is what the reference checks signatures with, as its target file has it.
const embeddedWebhookSecret = "${IDEMCHECK_REFERENCE_WEBHOOK_SECRET:-whsec_cmVmZXJlbmNlLXdlYmhvb2tzLTE=}"

// factPart is what stands at a part of the fact: the first says what happened to what.
func factPart(i int) string {
	if i == 0 {
		return "{{event}}/{{target_record}}"
	}
	return "part " + strconv.Itoa(i)
}

// putAt puts a value at the end of some steps into objects, and lists of one item.
func putAt(into any, steps []string, value string) {
	switch in := into.(type) {
	case []any:
		putAt(in[0], steps[1:], value)
	case map[string]any:
		if len(steps) == 1 {
			in[steps[0]] = value
			return
		}
		if _, there := in[steps[0]].(map[string]any); !there {
			in[steps[0]] = map[string]any{}
		}
		putAt(in[steps[0]], steps[1:], value)
	}
}

// section writes one top-level section of a target file.
func section(name string, value any) (string, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(map[string]any{name: value}); err != nil {
		return "", fmt.Errorf("write the section %s: %w", name, err)
	}
	return b.String() + "\n", nil
}
