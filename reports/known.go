package reports

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// KnownEntry is one entry of the target file's list of known failures.
type KnownEntry struct {
	Case    string      `json:"case"` // a glob for cases, as the file says it, perhaps with one for parts behind a slash
	Finding FindingKind `json:"finding"`
	Reason  string      `json:"reason"`
	Until   string      `json:"until"` // the last day on which it counts, YYYY-MM-DD
	File    string      `json:"file,omitempty"`
	Line    int         `json:"line,omitempty"`  // of the entry in the file; 0: not known
	Cases   []string    `json:"cases,omitempty"` // the planned cases that it speaks of, in all shards
}

// KnownState is what became of an entry.
type KnownState string

// The states of an entry. Those that need a change of the target file fail the run.
const (
	KnownSeen       KnownState = "seen"            // the finding came, and breaks nothing
	KnownUnexpected KnownState = "unexpected-pass" // its cases ran to a verdict and the finding did not come
	KnownExpired    KnownState = "expired"         // its date has passed, so that it excuses nothing any more
	KnownUntold     KnownState = "untold"          // its cases were not run, or not to a verdict
)

// KnownStates lists every state.
func KnownStates() []KnownState {
	return []KnownState{KnownSeen, KnownUnexpected, KnownExpired, KnownUntold}
}

// KnownFailure is an entry with what the run says of it.
type KnownFailure struct {
	KnownEntry
	State KnownState `json:"state"`
	Seen  []string   `json:"seen,omitempty"` // addresses at which its finding came
}

// Stale reports whether the entry has to be changed.
func (k KnownFailure) Stale() bool { return k.State == KnownUnexpected || k.State == KnownExpired }

// Place is where the entry stands: "orders.yaml:41".
func (k KnownEntry) Place() string {
	file := k.File
	if file == "" {
		file = "the target file"
	}
	if k.Line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, k.Line)
}

// Advice says what became of the entry, and what to do about it.
func (k KnownFailure) Advice() string {
	switch k.State {
	case KnownSeen:
		return fmt.Sprintf("%s came as expected: %s", k.Finding, list(k.Seen))
	case KnownUnexpected:
		return fmt.Sprintf("%s did not come although %s ran to a verdict: remove this entry", k.Finding, list(k.Cases))
	case KnownExpired:
		if len(k.Seen) > 0 {
			return fmt.Sprintf("the date has passed and %s still comes: fix it, or agree on another date", k.Finding)
		}
		return fmt.Sprintf("the date has passed and %s does not come: remove this entry", k.Finding)
	}
	return "it could not be told whether this still holds: not all of its cases ran to a verdict"
}

// speaksOf reports whether a finding of the case at that part is what the entry expects. An entry without a part speaks
// of all parts.
func (k KnownEntry) speaksOf(kind FindingKind, part string) bool {
	_, wanted, parted := strings.Cut(k.Case, "/")
	if kind != k.Finding {
		return false
	}
	return !parted || partMatches(wanted, part)
}

func partMatches(glob, part string) bool {
	ok, _ := path.Match(glob, part)
	return ok || glob == part
}

// settle says what became of an entry, from the cases of a report whose verdicts stand.
func (k KnownFailure) settle(r Report) KnownFailure {
	k.Seen = nil
	told, open := 0, len(k.Cases) == 0
	for _, id := range k.Cases {
		i := slices.IndexFunc(r.Cases, func(c Case) bool { return c.ID == id })
		if i < 0 {
			open = true
			continue
		}
		c := r.Cases[i]
		k.Seen = append(k.Seen, k.seenIn(c)...)
		switch knownVerdict(k.KnownEntry, c) {
		case Pass, Fail:
			told++
		case NotApplicable:
		default:
			open = true
		}
	}
	switch {
	case k.expired(r.Started) && len(k.Cases) > 0:
		k.State = KnownExpired
	case len(k.Seen) > 0:
		k.State = KnownSeen
	case told > 0 && !open && cutOff(r) == "":
		k.State = KnownUnexpected
	default:
		k.State = KnownUntold
	}
	return k
}

// seenIn gives the addresses within the case at which the finding came.
func (k KnownEntry) seenIn(c Case) []string {
	var out []string
	for _, f := range c.Findings {
		at := c.ID
		if f.Part != "" {
			at += "/" + f.Part
		}
		if k.speaksOf(f.Kind, f.Part) && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}

// knownVerdict is how far the part of a case that the entry speaks of was told: the verdict of the case, or of the best
// told point where the entry names a part. A part that was not swept was not run.
func knownVerdict(k KnownEntry, c Case) Verdict {
	_, part, parted := strings.Cut(k.Case, "/")
	if !parted {
		return c.Verdict
	}
	if c.Verdict == NotApplicable {
		return NotApplicable
	}
	told := NotRun
	for _, p := range c.Points {
		if partMatches(part, p.Part) {
			told = told.Worse(p.Verdict)
		}
	}
	return told
}

// expired reports whether the last day of the entry was over when the run began.
func (k KnownEntry) expired(began time.Time) bool {
	until, err := time.Parse(time.DateOnly, k.Until)
	return err == nil && !began.IsZero() && !began.Before(until.AddDate(0, 0, 1))
}

// KnownOf gives the reason why one of the entries expects such a finding in a run that began then; empty: none does.
func KnownOf(entries []KnownEntry, began time.Time, id, part string, kind FindingKind) string {
	for _, k := range entries {
		if slices.Contains(k.Cases, id) && k.speaksOf(kind, part) && !k.expired(began) {
			return k.Reason
		}
	}
	return ""
}

// staleKnown lists the entries of the target file that have to be changed.
func staleKnown(r Report) []KnownFailure {
	return slices.DeleteFunc(slices.Clone(r.Known), func(k KnownFailure) bool { return !k.Stale() })
}

// staleReason names them in a few words; empty: there is none.
func staleReason(r Report) string {
	stale := staleKnown(r)
	if len(stale) == 0 {
		return ""
	}
	var at []string
	for _, k := range stale {
		word := "passed unexpectedly"
		if k.State == KnownExpired {
			word = "has expired"
		}
		at = append(at, fmt.Sprintf("%s (%s %s %s)", k.Place(), k.Case, k.Finding, word))
	}
	return plural(len(stale), "known failure has", "known failures have") + " to be changed: " + list(at)
}
