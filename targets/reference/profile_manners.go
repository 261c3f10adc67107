package reference

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// manners is how a stand-in behaves: what a profile documents, put to work clause by clause. Whatever the profile does
// not say stays the reference's own behaviour, and so does everything where there are no manners at all (nil).
type manners struct{ targets.Profile }

// mannersOf gives the manners of a profile; nil for that of a receiver, whose own writes have none, and for none.
func mannersOf(p *targets.Profile) *manners {
	if p == nil || p.Role == targets.RoleReceiver {
		return nil
	}
	return &manners{*p}
}

// spoken is the mode that a stand-in takes of a clause: the first one; empty where nothing is known.
func spoken(c targets.Clause) string {
	switch {
	case len(c.Mode) == 0 || c.Provenance == targets.Unknown || c.Mode[0] == targets.ModeUndocumented:
		return ""
	case c.Has(targets.ModeReplayFirst):
		return targets.ModeReplayFirst // where both are documented, the one that writes nothing
	}
	return c.Mode[0]
}

// forAges is longer than any retention that a profile names.
const forAges = 100 * 365 * 24 * time.Hour

// kept is how long rows stay in the ledger. Where an expired key is refused, they must outlive the retention.
func (m *manners) kept(own time.Duration) time.Duration {
	if m == nil {
		return own
	}
	switch spoken(m.Expired) {
	case targets.ModeNever, targets.ModeReject:
		return forAges
	}
	return m.retention(own)
}

// retention is how long a key is kept: as long as it certainly is, so that a sender can rely on it and on its end.
func (m *manners) retention(own time.Duration) time.Duration {
	switch r := m.Retention; {
	case r.Min > 0:
		return r.Min.Std()
	case r.Max > 0:
		return r.Max.Std()
	}
	return own
}

// over reports whether a row stands for a key that is refused because its retention is over.
func (m *manners) over(e entry, now time.Time, own time.Duration) bool {
	return spoken(m.Expired) == targets.ModeReject && e.state == completed && !now.Before(e.createdAt.Add(m.retention(own)))
}

// identity is where the ledger keeps the key of an attempt: each dimension of the scope parts the keys or does not.
func (m *manners) identity(a *attempt) identity {
	tenant, environment, operation := a.caller.tenant, a.environment, a.op.name
	if spoken(m.Scope.Tenant) == targets.ModeShared {
		tenant = "*"
	}
	if spoken(m.Scope.Credential) == targets.ModeIsolated || spoken(m.Scope.User) == targets.ModeIsolated {
		tenant += "~" + a.caller.user
	}
	if spoken(m.Scope.Environment) == targets.ModeShared {
		environment = "*"
	}
	if spoken(m.Scope.Region) == targets.ModeShared {
		environment = strings.Replace(environment, inSecondRegion, "", 1)
	}
	if spoken(m.Scope.Partition) == targets.ModeShared {
		environment = strings.Replace(environment, inSecondLedger, "", 1)
	}
	if mode := spoken(m.Scope.Operation); mode == targets.ModeShared || mode == targets.ModeReject {
		operation = "*"
	}
	id := identity{scope: tenant + "/" + environment + "/" + operation, key: a.key}
	if spoken(m.Mismatch) == targets.ModeNewRecord {
		id.key += " " + a.fingerprint
	}
	return id
}

// failure gives the clause that speaks of a failure.
func (m *manners) failure(p problem) targets.Clause {
	switch {
	case p.final:
		return m.Failures.Refusal
	case p.Status == http.StatusTooManyRequests:
		return m.Failures.RateLimited
	case p.Status == http.StatusUnauthorized || p.Status == http.StatusForbidden:
		return m.Failures.Unauthorized
	case p.Status == http.StatusGatewayTimeout && spoken(m.Failures.Timeout) != "":
		return m.Failures.Timeout // where nothing is said of it, it is a server error like any other
	case p.Status >= http.StatusInternalServerError:
		return m.Failures.ServerError
	}
	return m.Failures.Validation
}

// keeps reports whether a failure is stored under the key and given again.
func (m *manners) keeps(err error) bool {
	return m != nil && err != nil && spoken(m.failure(problemOf(err))) == targets.ModeStored
}

// forgets reports whether a refusal that the reference would store leaves no trace.
func (m *manners) forgets(p problem) bool {
	mode := ""
	if m != nil {
		mode = spoken(m.failure(p))
	}
	return mode == targets.ModeReExecuted || mode == targets.ModeResumed
}

// defers reports whether a refusal by a test switch must wait until the key is known, since it is stored.
func (m *manners) defers(r *request) bool {
	return m != nil && r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/v1/tasks") && m.keeps(r.switches.refuse())
}

// refused is a refusal for a business reason, stored as the true outcome. A stand-in gives it a status of its own: many
// owners document no code that would tell a 409 from that of a request that is still running.
func (m *manners) refused(p problem) answer {
	if m != nil {
		p.Status = http.StatusPaymentRequired
	}
	return p.answer()
}

// dress puts on an answer what the profile documents of the headers of a replay, and of the one that marks it.
func (m *manners) dress(a *attempt, reply answer, err error) (answer, error) {
	if m == nil || err != nil || !a.keyed {
		return reply, err
	}
	reply = m.traced(a, reply)
	mark := m.Replay.Marker
	if mark == nil {
		return reply, nil
	}
	if !a.again && (len(mark.First) == 0 || slices.Contains(mark.First, "absent")) {
		return reply, nil
	}
	return withHeader(reply, mark.Name, strings.ReplaceAll(valueOf(mark), "{{key}}", a.key)), nil
}

// traced puts a header on an answer that is new in each, unless replays have the headers of the first answer.
func (m *manners) traced(a *attempt, reply answer) answer {
	id := "of-" + reply.Reference
	if a.again && len(m.Replay.Headers) == 0 {
		id = "again-" + reply.Reference
	}
	return withHeader(reply, "Trace-Id", id)
}

// valueOf gives a value that a marker may have.
func valueOf(m *targets.Marker) string {
	if len(m.Value) == 0 {
		return "true"
	}
	return m.Value[0]
}

// withHeader gives an answer with one more header; what is stored of it stays as it is.
func withHeader(reply answer, name, value string) answer {
	reply.Header = maps.Clone(reply.Header)
	if reply.Header == nil {
		reply.Header = map[string]string{}
	}
	reply.Header[name] = value
	return reply
}

// shaped makes an error of an answer in the manners of the profile.
func shaped(reply answer) error {
	return problem{Status: reply.Status, Code: "as_documented", as: &reply}
}

// errNoDocument says that a body holds no GraphQL document.
var errNoDocument = errors.New("the body holds no GraphQL document")
