package reports

import (
	"time"
)

// Report is a run as its events tell it.
type Report struct {
	V         int            `json:"v"`
	Run       string         `json:"run"`
	Started   time.Time      `json:"started"`
	Ended     time.Time      `json:"ended"`
	Complete  bool           `json:"complete"` // run-ended was seen
	About     RunStarted     `json:"about"`
	Preflight *Preflight     `json:"preflight,omitempty"`
	Known     []KnownFailure `json:"known,omitempty"`  // the target file's list, as the run bears it out
	Claims    []ClaimRow     `json:"claims,omitempty"` // what the profile says beside what was seen of it
	Summary   Summary        `json:"summary"`
	Cases     []Case         `json:"cases"` // in the order of the plan
	Created   int            `json:"records_created"`
	Removed   int            `json:"records_removed"`
	Left      []Record       `json:"records_left,omitempty"`
	Outcome   Outcome        `json:"outcome"`
	Stopped   string         `json:"stopped,omitempty"` // why the run ended early
}

// Case is one case of a Report.
type Case struct {
	CasePlanned
	CaseEnded
	Started   *time.Time      `json:"started,omitempty"`
	Ended     *time.Time      `json:"ended,omitempty"`
	Findings  []Finding       `json:"findings,omitempty"`
	Notes     []Note          `json:"notes,omitempty"`
	Steps     []Step          `json:"steps,omitempty"`
	Exchanges []Exchange      `json:"exchanges,omitempty"`
	Readings  []CaseReading   `json:"readings,omitempty"`
	Faults    []CaseFault     `json:"faults,omitempty"`
	Points    []CrashPoint    `json:"crash_points,omitempty"`
	Changes   []PayloadChange `json:"payload_changes,omitempty"`
	Claims    []ClaimRead     `json:"claims,omitempty"` // what it saw of values of the profile

	ofRun  bool    // it stands for the run as a whole: no scenario has it
	stored *stored // evidence that lies in a file; see whole
}

// Summary counts the cases by verdict.
type Summary struct {
	Cases         int `json:"cases"`
	Pass          int `json:"pass"`
	Fail          int `json:"fail"`            // the known ones too
	Known         int `json:"known,omitempty"` // fails of nothing but what the target file lists as known
	Error         int `json:"error"`
	Inconclusive  int `json:"inconclusive"`
	NotApplicable int `json:"not_applicable"`
	NotRun        int `json:"not_run"`
}

// Outcome is the exit status with its reason in words.
type Outcome struct {
	Exit   int    `json:"exit"`
	Reason string `json:"reason"`
}

// CaseReading is one reading of a case, with its time in milliseconds since the run began.
type CaseReading struct {
	AtMS      float64  `json:"at_ms"`
	Observer  string   `json:"observer"`
	Namespace string   `json:"namespace,omitempty"`
	Operation string   `json:"operation,omitempty"`
	Label     string   `json:"label,omitempty"`
	Count     int      `json:"count"`
	IDs       []string `json:"ids,omitempty"`
	Err       string   `json:"error,omitempty"`
}

// CaseFault is one fault of a case, with its time in milliseconds since the run began.
type CaseFault struct {
	Fault
	AtMS float64 `json:"at_ms"`
}
