package targets

// Level is how binding a statement is: must, should or may, as in RFC 2119.
type Level string

// The levels, from the strictest down.
const (
	Must   Level = "must"
	Should Level = "should"
	May    Level = "may"
)

// Levels lists every level, the strictest first.
func Levels() []Level { return []Level{Must, Should, May} }

// Stricter reports whether l binds more than other. An empty level binds least.
func (l Level) Stricter(other Level) bool { return l.rank() > other.rank() }

func (l Level) rank() int {
	switch l {
	case Must:
		return 3
	case Should:
		return 2
	case May:
		return 1
	}
	return 0
}

// Provenance says how a profile value is known.
type Provenance string

// Only a documented value can fail a case; a broken observed or inferred value is a warning, an unknown one is only
// noted.
const (
	Documented Provenance = "documented"
	Observed   Provenance = "observed"
	Inferred   Provenance = "inferred"
	Unknown    Provenance = "unknown"
)

// Provenances lists every provenance, the surest first.
func Provenances() []Provenance { return []Provenance{Documented, Observed, Inferred, Unknown} }
