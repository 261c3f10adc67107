// Package reports holds what can be said about a run (Finding, Verdict, Event, Report) and each way to write it down.
// Every writer is a pure function of the event stream; nothing here sends, judges or exits.
package reports

import (
	"github.com/idempotency-conformance/idemcheck/targets"
)

// Question is which of the three questions a finding answers. They are never mixed.
type Question string

// The three questions.
const (
	QuestionRecords Question = "records" // how many records exist: hard
	QuestionAnswer  Question = "answer"  // does the answer match what the profile documents
	QuestionOther   Question = "other"   // everything else that was seen
)

// Finding is one reason for a fail.
type Finding struct {
	Kind       FindingKind        `json:"kind"`
	Question   Question           `json:"question"`
	Level      targets.Level      `json:"level"`
	Message    string             `json:"message"`            // one sentence
	Expected   string             `json:"expected,omitempty"` // in few words
	Found      string             `json:"found,omitempty"`
	IDs        []string           `json:"ids,omitempty"`
	Exchanges  []string           `json:"exchanges,omitempty"` // names of the attempts that show it
	Provenance targets.Provenance `json:"provenance,omitempty"`
	Source     string             `json:"source,omitempty"`
	Part       string             `json:"part,omitempty"`  // of the case, where the finding belongs to one
	Known      string             `json:"known,omitempty"` // the reason, where the target file lists it as known
}

// Note is something seen that is no finding: an observation, or a warning (a broken value that is not documented).
type Note struct {
	Warning bool   `json:"warning,omitempty"`
	Text    string `json:"text"`
}

// Tally is a count of one kind of record (or side effect) in one namespace: before the case, expected after it, found.
type Tally struct {
	Observer   string   `json:"observer"`
	Namespace  string   `json:"namespace,omitempty"`
	Operation  string   `json:"operation,omitempty"`
	SideEffect bool     `json:"side_effect,omitempty"`
	Before     int      `json:"before"`
	Expected   string   `json:"expected"` // "1", "0 or 1"
	Found      *int     `json:"found"`    // null: could not be counted
	IDs        []string `json:"ids,omitempty"`
	Inferred   bool     `json:"inferred,omitempty"`
}

// Artifact is what the report of a K-case shows beside its exchanges.
type Artifact struct {
	Bundle          targets.Bundle `json:"bundle"`
	Revision        string         `json:"payload_revision"`
	Digest          string         `json:"payload_digest,omitempty"` // sha256 of the body sent, hex
	KeyRelationship string         `json:"key_relationship"`         // "the baseline's", "its own"
	Approval        string         `json:"approval_state"`           // "approved", "not approved", "not known to the target"
	Prior           string         `json:"prior_outcome"`            // "completed as D77", "answer lost, record D77 exists"
	Permitted       []Disposition  `json:"permitted_dispositions,omitempty"`
	Observed        []Disposition  `json:"observed_dispositions,omitempty"`
	Records         []Tally        `json:"records,omitempty"`
}

// Record is something a run created on the target.
type Record struct {
	ID        string `json:"id"`
	Operation string `json:"operation"`
	Namespace string `json:"namespace,omitempty"`
	Case      string `json:"case"`
	Marker    string `json:"marker"`
	Why       string `json:"why,omitempty"` // why it could not be removed
}
