package steps

import (
	"net/http"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// address gives the base URL and the headers of an attempt: the target's own, over them the namespace's, the caller's
// and those of a test switch.
func (w *world) address(a sendArgs) (string, map[string]string) {
	base, headers := w.place(a.Namespace)
	if a.To == "replica" {
		base = strings.TrimRight(w.Endpoint.Replicas[0], "/")
	}
	headers = over(headers, w.caller(a.Caller))
	switches := map[string]map[string]string{
		"slow": w.target.Switches.Slow, "fail": w.target.Switches.Fail, "refuse": w.target.Switches.Refuse,
	}
	return base, over(headers, switches[a.Switch])
}

// switchVars are what stands in the headers of a test switch.
func switchVars(name, duration, status string) targets.Vars {
	usual := "500"
	if name == "refuse" {
		usual = "429"
	}
	return targets.Vars{"duration": pick(duration, slowness.String()), "status": pick(status, usual)}
}

// caller gives the headers of a credential; none for the target's own.
func (w *world) caller(name string) map[string]string {
	switch name {
	case "lesser":
		return lesserCaller(w.target).Headers
	case "unauthorized":
		return unauthorizedCaller(w.target).Headers
	case "another":
		return w.target.Callers[anotherCaller].Headers
	case "revocable":
		return revocable(w.target).Headers
	}
	return nil
}

// place gives the base URL and headers of a namespace; "" is the target's own.
func (w *world) place(namespace string) (string, map[string]string) {
	base, headers := w.placeAt(w.Endpoint, namespace)
	return base, w.timed(headers)
}

// placeAt is place for one instance of the target.
func (e *engine) placeAt(endpoint *targets.Endpoint, namespace string) (string, map[string]string) {
	base, headers := endpoint.URL, e.target.Headers
	n := e.target.Namespaces.Given()[namespace]
	if n == nil {
		return base, headers
	}
	return pick(strings.TrimRight(n.URL, "/"), base), over(headers, n.Headers)
}

// over lays headers over others, whatever their letter case.
func over(headers, more map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range headers {
		out[http.CanonicalHeaderKey(k)] = v
	}
	for k, v := range more {
		out[http.CanonicalHeaderKey(k)] = v
	}
	return out
}

// vars are the template values of an attempt. Symbols become ids that no other case has.
func (w *world) vars(s *sent) targets.Vars {
	vars := targets.Vars{}
	if op := w.target.Operations.Named(s.bundle.Operation); op != nil {
		vars = vars.With(op.Values)
	}
	return vars.With(w.captured).With(targets.Vars{
		"environment": s.bundle.Environment, "tenant": s.bundle.Tenant, "operation": s.bundle.Operation,
		"event": w.eventID(s.bundle.Event), "target_record": w.recordID(s.bundle.Record),
		"revision": s.revision, "payload": pick(w.payloads[s.revision], "Review the account, revision "+s.revision), "marker": w.marker,
	}).With(s.values)
}

// symbol gives the id a symbol stands for: the listed values in the order of first use; without a list, otherwise.
func symbol(names map[string]string, name string, listed []string, otherwise string) string {
	id, known := names[name]
	if !known {
		id = otherwise
		if len(listed) > 0 {
			id = listed[len(names)%len(listed)]
		}
		names[name] = id
	}
	return id
}

// eventID gives the id of a source event; without listed values one that no other case has.
func (w *world) eventID(name string) string {
	return symbol(w.events, name, w.target.Values.Event, name+"-"+w.marker)
}

// recordID gives the id of a target record. Records exist in the target already, so that without listed values the
// symbol stands for itself.
func (w *world) recordID(name string) string {
	return symbol(w.records, name, w.target.Values.TargetRecord, name)
}
