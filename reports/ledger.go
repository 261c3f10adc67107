package reports

// ledger keeps account of the records that a run created on the target.
type ledger struct {
	entries []entry // in order of creation
	places  map[place]int
	gone    int
}

// place is what tells one record from another.
type place struct{ id, operation, namespace, marker string }

type entry struct {
	Record
	removed bool
}

// notRemoved is what is said of a record that no event accounts for: the run was cut off before its clean-up.
const notRemoved = "the run did not get to remove it"

// enter takes one record event. A removal that is told before its creation counts as well.
func (l *ledger) enter(kind Kind, r Record) {
	e := l.find(r)
	switch kind {
	case KindRecordRemoved:
		if !e.removed {
			l.gone++
		}
		e.removed = true
	case KindRecordLeft:
		e.Why = r.Why
	}
}

func (l *ledger) find(r Record) *entry {
	key := place{r.ID, r.Operation, r.Namespace, r.Marker}
	i, known := l.places[key]
	if !known {
		if l.places == nil {
			l.places = map[place]int{}
		}
		i = len(l.entries)
		l.places[key] = i
		l.entries = append(l.entries, entry{Record: r})
	}
	return &l.entries[i]
}

func (l *ledger) created() int { return len(l.entries) }

func (l *ledger) removed() int { return l.gone }

// left lists what the run has not removed, in order of creation.
func (l *ledger) left() []Record {
	var out []Record
	for _, e := range l.entries {
		if e.removed {
			continue
		}
		if e.Why == "" {
			e.Why = notRemoved
		}
		out = append(out, e.Record)
	}
	return out
}
