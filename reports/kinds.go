package reports

import "sync"

// KindInfo is one row of the table of event kinds.
type KindInfo struct {
	Kind    Kind
	Payload string // the member of the event that carries what it says; empty: the common members say it all
	Doc     string // one sentence
}

// Kinds lists every kind of event, in the order in which a run first writes them. It is the only list: the reader, the
// JSON Schema and the documentation are made from it.
func Kinds() []KindInfo {
	return []KindInfo{
		{KindRunStarted, "run_started", "The run began: tool, target, profile, and what it will do at most."},
		{KindCasePlanned, "case_planned", "One case of the plan, before anything was sent."},
		{KindKnown, "known", "One entry of the target file's list of known failures, and the cases that it speaks of."},
		{KindPreflight, "preflight", "The proof of the observers, or why the target could not be tried."},
		{KindCaseStarted, "", "A case began."},
		{KindStep, "step", "One Gherkin step was carried out."},
		{KindExchange, "exchange", "One request and what came back, without secrets and cut to a limit."},
		{KindReading, "reading", "One count taken by one observer."},
		{KindFault, "fault", "Something was done to the target itself."},
		{KindProgress, "progress", "How far a long step is."},
		{KindCrashPoint, "crash_point", "What came of one point of a crash sweep: the fault, the retry and the count."},
		{KindPayloadChange, "payload_change", "What came of one change in what is sent under a used key."},
		{KindClaim, "claim", "What a case saw of one value of the profile."},
		{KindFinding, "finding", "One reason for a fail."},
		{KindNote, "note", "Something seen that is no finding: an observation or a warning."},
		{KindCaseEnded, "case_ended", "A case has its verdict."},
		{KindRecount, "recount", "A late count changed the verdict: the case as it is now."},
		{KindRecordCreated, "record", "The run created a record on the target."},
		{KindRecordRemoved, "record", "The run removed a record that it had created."},
		{KindRecordLeft, "record", "A record that the run created could not be removed."},
		{KindRunEnded, "run_ended", "The run ended. A stream without it is an incomplete run."},
	}
}

// known reports whether k is in the table.
func (k Kind) known() bool { return allKinds()[k] }

// allKinds is asked for each line that is read, and made once.
var allKinds = sync.OnceValue(func() map[Kind]bool {
	all := map[Kind]bool{}
	for _, info := range Kinds() {
		all[info.Kind] = true
	}
	return all
})
