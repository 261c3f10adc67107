package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// domainCases try each verb of the table of domains both ways.
var domainCases = []struct {
	name, steps string
	want        reports.Verdict
	reason      string // in the reason, or a finding
}{
	{"status", "when: [{send: first}]\nthen: [{expect: {as: first, status: '201'}}, {expect: {as: first, status: '200, 2xx'}}]", reports.Pass, ""},
	{"wrong status", "when: [{send: first}]\nthen: [{expect: {as: first, status: 200}}, {records: 1}]", reports.Fail, "another status"},
	{"header", "when: [{send: first}, {send: {as: again, key: same}}]\nthen: [{expect: {as: again, header: {name: idempotent-replayed, value: 'true'}}}, {expect_header: {as: first, name: Location}}]",
		reports.Pass, ""},
	{"wrong header", "when: [{send: first}]\nthen: [{expect_header: {as: first, name: Idempotent-Replayed, value: 'true'}}]", reports.Fail, "another header"},
	{"missing header", "when: [{send: first}]\nthen: [{expect_header: {as: first, name: Retry-After}}]", reports.Fail, "another header"},
	{"body", "when: [{send: first}]\nthen: [{expect: {as: first, body: {at: /account, is: A18}}}, {expect_body: {as: first, at: $.id}}, {expect_body: {as: first, at: $.due, is: '2027-01-31'}}]",
		reports.Pass, ""},
	{"wrong body", "when: [{send: first}]\nthen: [{expect_body: {as: first, at: /account, is: A19}}]", reports.Fail, "another value at /account"},
	{"missing in the body", "when: [{send: first}]\nthen: [{expect_body: {as: first, at: /nothing/here, is: [1, {a: b}]}}]", reports.Fail, "another value"},
	{"disposition", "when: [{send: first}, {send: {as: again, key: same}}, {send: {as: other, key: same, payload_revision: P4}}]\n" +
		"then: [{expect: {as: first, disposition: created}}, {expect: {as: again, disposition: replayed}}, {expect: {as: other, disposition: conflict}}, {records: 1}]", reports.Pass, ""},
	{"wrong disposition", "when: [{send: first}]\nthen: [{expect: {as: first, disposition: conflict}}]", reports.Fail, "another disposition"},
	{"effects", "when: [{send: first}]\nthen: [{records: 1}, {expect: {effects: {observer: mails, count: 1}}}]", reports.Pass, ""},
	{"wrong effects", "when: [{send: first}]\nthen: [{records: 1}, {expect_effects: {observer: mails, count: 0}}]", reports.Fail, "side-effect"},
	{"unknown observer", "when: [{send: first}]\nthen: [{expect_effects: {observer: letters, count: 0}}]", reports.Inconclusive, "it has: tasks, review-notes, "},
	{"operation by name", "when: [{send: {as: note, operation: update-review-note}}]\nthen: [{records: {count: 1, operation: update-review-note}}, {records: 0}]", reports.Pass, ""},
	{"wrong count of a named operation", "when: [{send: {as: note, operation: update-review-note}}]\nthen: [{records: {count: 0, operation: update-review-note}}]", reports.Fail, "duplicate"},
	{"an operation that is not there", "when: [{send: {as: note, operation: ship}}]", reports.NotApplicable, `describe the operation "ship"`},
	{"capture", "when: [{send: first}, {capture: {as: task, from: first, at: $.id}}, {payload: {as: about, text: 'about {{task}}'}}, {send: {as: note, operation: other, payload_revision: about}}]\n" +
		"then: [{shows_nothing: {as: note, other: first}}]", reports.Fail, "leaked"},
	{"nothing to capture", "when: [{send: first}, {capture: {as: task, from: first, at: /nope}}]\nthen: [{records: 1}]", reports.Inconclusive, "nothing at /nope"},
	{"bundles and values", "given: [{bundle: {as: b, event: E900, target_record: A77}}, {approve: {event: E900, target_record: A77}}]\n" +
		"when: [{send: {as: first, bundle: b, values: {payload: 'for {{target_record}}, \"quoted\" | <b>'}}}]\n" +
		"then: [{expect: {as: first, status: 201, body: {at: /account, is: A77}}}, {records: 1}]", reports.Pass, ""},
	{"a value for nothing", "when: [{send: {as: first, values: {duration: 5s}}}]", reports.Error, "has no {{duration}}"},
	{"an unknown bundle", "when: [{send: {as: first, bundle: b}}]", reports.Error, "no bundle is called"},
	{"wait", "when: [{send: first}, {wait_until: {records: 1, within: 5s, every: 10ms}}, {wait_until: {as: first, at: /account, is: A18, within: 5s}}, {pause: 10ms}]\nthen: [{records: 1}]", reports.Pass, ""},
	{"wait in vain", "when: [{send: first}, {wait_until: {records: 2, within: 100ms, every: 20ms}}]\nthen: [{records: 1}]", reports.Inconclusive, "1 where 2 was waited for"},
	{"wait in vain for a value", "when: [{send: first}, {wait_until: {as: first, at: /account, is: A19, within: 100ms, every: 20ms}}]\nthen: [{records: 1}]", reports.Inconclusive, "A18 at /account"},
	{"set-up gone wrong", "given: [{send: first}, {expect: {as: first, status: 500}}]\nwhen: [{send: {as: again, key: same}}]\nthen: [{records: 1}]", reports.Inconclusive, "while the case was set up"},
	{"a duplicate in spite of a set-up", "given: [{expect: {as: nobody, status: 500}}]\nwhen: [{send: first}]", reports.Inconclusive, "nothing was sent as"},
	{"clean-up", "when: [{send: first}]\nthen: [{records: 1}]\ncleanup: [{delete: first}]", reports.Pass, ""},
	{"clean-up after a fail", "when: [{send: first}]\nthen: [{records: 2}]\ncleanup: [{delete: first}, {expect: {as: first, status: 500}}]", reports.Fail, "lost"},
	{"clean-up that does not work", "when: [{send: first}]\nthen: [{records: 1}]\ncleanup: [{delete: second}]", reports.Pass, ""},
	{"push", "when: [{push: {batches: 3, rows: 4}}]\nthen: [{records: 12}]", reports.Pass, ""},
	{"wrong push", "when: [{push: {batches: 3, rows: 4, lost: 2}}]\nthen: [{records: 13}]", reports.Fail, "lost"},
}

func TestDomainVerbs(t *testing.T) {
	t.Parallel()
	e := startService(t).endpoint(t, nil)
	var text strings.Builder
	text.WriteString("level: must\nneeds: [read]\nscenarios:\n")
	id := func(name string) string { return strings.NewReplacer(" ", "-", ",", "").Replace(name) }
	for _, c := range domainCases {
		steps := c.steps
		if !strings.Contains(steps, "given:") {
			steps = "given: [{approve: {event: E204, target_record: A18}}]\n" + steps
		}
		text.WriteString("  - id: " + id(c.name) + "\n    title: T\n    " + strings.ReplaceAll(steps, "\n", "\n    ") + "\n")
	}
	r := checkYAML(t, e, "domain.yaml", []byte(text.String()))
	for _, c := range domainCases {
		got := caseOf(t, r, id(c.name))
		assert.Equal(t, c.want, got.Verdict, "%s: %s %+v", c.name, got.Reason, got.Findings)
		why := got.Reason
		for _, f := range got.Findings {
			why += " " + string(f.Kind) + ": " + f.Message
		}
		assert.Contains(t, why, c.reason, c.name)
	}
	assert.Empty(t, r.Left)
	deleted := caseOf(t, r, "clean-up")
	assert.Empty(t, deleted.Findings, "what a clean-up deletes is not missed")
	assert.NotEmpty(t, caseOf(t, r, "clean-up-that-does-not-work").Notes)
}

// A step that cannot be carried out says where it stands in the user's file, and so does the case.
func TestErrorsNameTheYAMLLine(t *testing.T) {
	t.Parallel()
	text := "level: must\nscenarios:\n  - id: x\n    title: T\n    when:\n      - send: {as: first,\n          bundle: none}\n"
	r := checkYAML(t, startService(t).endpoint(t, nil), "my/x.yaml", []byte(text))
	c := caseOf(t, r, "x")
	assert.Equal(t, reports.Error, c.Verdict)
	assert.Contains(t, c.Reason, "(my/x.yaml:6)")
	assert.Equal(t, "my/x.yaml:3", c.URI)
}

// An operation's template may name what only a scenario knows.
func TestDeclaredValues(t *testing.T) {
	t.Parallel()
	h := newShop()
	e := shopEndpoint(t, h, func(t *targets.Target) {
		body, err := targets.NewBody([]byte(`{"event":"{{event}}","account":"{{contact}}","note":"{{payload}} {{marker}}"}`))
		if err != nil {
			panic(err)
		}
		t.Operations[0].Body = body
		t.Operations[0].Values = map[string]string{"contact": "C0"}
	})
	text := "level: must\nscenarios:\n  - id: x\n    title: T\n    when: [{send: first}, {capture: {as: found, from: first, at: $.id}}, {send: {as: second, values: {contact: '{{found}}'}}}, {send: {as: third, values: {contct: x}}}]\n    then: [{records: 2}]\n"
	r := checkYAML(t, e, "x.yaml", []byte(text))
	c := caseOf(t, r, "x")
	require.Contains(t, c.Reason, "has no {{contct}}")
}
