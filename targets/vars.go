package targets

// Vars are the values that templates may name, without the braces: environment, tenant, event, target_record,
// operation, revision, payload, marker, key, id, duration, seconds, port, dir, label, occurrence, side,
// row, rows, event_id, filler, status; and services.NAME, where a service of the target is reached.
type Vars map[string]string

// With gives a copy of v in which further values stand over the old ones.
func (v Vars) With(more Vars) Vars {
	out := make(Vars, len(v)+len(more))
	for k, s := range v {
		out[k] = s
	}
	for k, s := range more {
		out[k] = s
	}
	return out
}
