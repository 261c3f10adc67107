package crash

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

const (
	maxNames = 10_000 // statements and portals of one connection whose labels are remembered
	maxParts = 6      // statements of one unit that stand in its label
)

// pgUnit collects the messages of a unit, and knows the connection's prepared statements.
type pgUnit struct {
	statements map[string]string // labels by name
	portals    map[string]string

	runs     []string // labels of what is executed
	parsed   string   // label of what is only prepared
	other    string   // what else is asked for
	streams  bool     // the target sends rows, or flushes: nothing is kept back
	copied   bool     // the message before ended a COPY
	extended bool     // the last unit ended with Sync
}

func newPGUnit() pgUnit {
	return pgUnit{statements: map[string]string{}, portals: map[string]string{}}
}

// add takes a message, without its header and cut where it is long, and gives the label of the unit that it ends.
func (u *pgUnit) add(kind byte, body []byte) (label string, ends bool) {
	// After a COPY within the extended protocol Sync is sent twice, and the database has skipped the first.
	again := kind == 'S' && u.copied && u.extended
	u.copied = kind == 'c' || kind == 'f'
	u.streams = kind == 'd'
	switch kind {
	case 'P':
		u.parse(body)
	case 'B':
		u.bind(body)
	case 'E':
		name, _, _ := bytes.Cut(body, []byte{0})
		u.run(known(u.portals, string(name)))
	case 'D':
		u.other = "describe"
	case 'C':
		u.close(body)
	case 'F':
		return "function call", true
	case 'Q':
		sql, _, _ := bytes.Cut(body, []byte{0})
		u.extended = false
		return u.query(string(sql)), true
	case 'S':
		u.extended = true
		return u.take(), !again
	}
	return "", false
}

// parse remembers a statement.
func (u *pgUnit) parse(body []byte) {
	name, rest, _ := bytes.Cut(body, []byte{0})
	sql, _, _ := bytes.Cut(rest, []byte{0})
	found := statements(string(sql), postgresSQL)
	label := u.apply(found)
	remember(u.statements, string(name), label)
	u.parsed = label
}

// bind remembers which statement a portal runs.
func (u *pgUnit) bind(body []byte) {
	portal, rest, _ := bytes.Cut(body, []byte{0})
	name, _, _ := bytes.Cut(rest, []byte{0})
	remember(u.portals, string(portal), known(u.statements, string(name)))
	u.other = "bind"
}

// close forgets a statement or a portal.
func (u *pgUnit) close(body []byte) {
	u.other = "close"
	if len(body) == 0 {
		return
	}
	name, _, _ := bytes.Cut(body[1:], []byte{0})
	if body[0] == 'S' {
		delete(u.statements, string(name))
	} else {
		delete(u.portals, string(name))
	}
}

// run adds to the label.
func (u *pgUnit) run(label string) {
	if len(u.runs) < maxNames {
		u.runs = append(u.runs, label)
	}
}

// query gives the label of a simple query.
func (u *pgUnit) query(sql string) string {
	label := u.apply(statements(sql, postgresSQL))
	u.reset()
	return label
}

// apply does to the names what PREPARE and DEALLOCATE do, and gives the label of the statements.
func (u *pgUnit) apply(found []statement) string {
	labels := make([]string, 0, len(found))
	for _, s := range found {
		label := s.label
		switch {
		case s.executes != "":
			label = known(u.statements, s.executes)
		case s.prepares != "":
			remember(u.statements, s.prepares, strings.TrimPrefix(s.label, targets.Preparing))
		case s.forgetsAll:
			clear(u.statements)
		case s.forgets != "":
			delete(u.statements, s.forgets)
		}
		labels = append(labels, label)
	}
	return join(labels)
}

// take gives the label of the unit that ends with Sync, and begins another.
func (u *pgUnit) take() string {
	defer u.reset()
	switch {
	case len(u.runs) > 0:
		return join(u.runs)
	case u.parsed != "":
		return targets.Preparing + u.parsed
	case u.other != "":
		return u.other
	default:
		return "sync"
	}
}

// reset begins another unit.
func (u *pgUnit) reset() {
	u.runs, u.parsed, u.other = u.runs[:0], "", ""
}

// remember keeps a label under a name, as long as there are not too many.
func remember(names map[string]string, name, label string) {
	if _, there := names[name]; there || len(names) < maxNames {
		names[strings.Clone(name)] = label
	}
}

// known gives the label of a name.
func known(names map[string]string, name string) string {
	if label, ok := names[name]; ok {
		return label
	}
	return unknownLabel
}

// join makes one label of those of several statements. Equal neighbours are counted.
func join(labels []string) string {
	if len(labels) == 1 {
		return labels[0]
	}
	var parts []string
	for i := 0; i < len(labels); {
		n := 1
		for i+n < len(labels) && labels[i+n] == labels[i] {
			n++
		}
		part := labels[i]
		if n > 1 {
			part = fmt.Sprintf("%s ×%d", part, n)
		}
		if len(parts) == maxParts {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, part)
		i += n
	}
	if len(parts) == 0 {
		return "empty"
	}
	return strings.Join(parts, "; ")
}
