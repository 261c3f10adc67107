package targets

// Async says that a write is answered before it is done: the answer names a job, and the result of the job the record.
type Async struct {
	Status Ints   `yaml:"status"` // of the answer that accepts a write; default 202
	Job    string `yaml:"job"`    // where that answer holds the job's address: header:Location, or a JSONPath
	Done   *Code  `yaml:"done"`   // where the job says that it has ended; none: when it is answered with another status
	Failed *Code  `yaml:"failed"` // where an ended job says that nothing was written
	Result string `yaml:"result"` // where the ended job holds the address of its result; empty: the job is the result
	ID     string `yaml:"id"`     // where the result names the record; empty: as the operation's id says
	Claim  `yaml:",inline"`
}

// defaultJob is where the address of a job stands by RFC 9110 section 15.3.3 and custom.
const defaultJob = "header:Location"

// JobOf gives the address of the job that an answer names; empty where it names none. Errors that point at a job
// (a repeat that was refused) name it in the same way.
func (a *Async) JobOf(x Exchange) string {
	if a == nil || x.Succeeded() && !a.accepts(x.Status) {
		return ""
	}
	return a.address(a.Job, x)
}

func (a *Async) accepts(status int) bool {
	return Clause{Status: a.Status}.HasStatus(status)
}

// Ended reports whether the answer to a question for the job says that it has ended. An error has ended, too.
func (a *Async) Ended(x Exchange) bool {
	if !x.Succeeded() {
		return true
	}
	if a.Done != nil {
		return CodeIn(a.Done, x)
	}
	return !a.accepts(x.Status)
}

// Broke reports whether an ended job has written nothing.
func (a *Async) Broke(x Exchange) bool {
	return !x.Succeeded() || a.Failed != nil && CodeIn(a.Failed, x)
}

// ResultOf gives the address of an ended job's result; empty where the job is the result itself.
func (a *Async) ResultOf(x Exchange) string {
	if a.Result == "" {
		return ""
	}
	return a.address(a.Result, x)
}

// RecordID gives the id of the record that a job's result names.
func (a *Async) RecordID(op Operation, x Exchange) string {
	if a.ID != "" {
		return IDAt(a.ID, x)
	}
	return op.RecordID(x)
}

func (a *Async) address(at string, x Exchange) string {
	text, _ := placeText(at, x)
	return text
}
