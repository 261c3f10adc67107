package steps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
)

// summary says in few words what a passed case came to: the dispositions in order of sending, or of many attempts how
// often each came.
func (w *world) summary() string {
	var parts []string
	count := map[string]int{}
	for _, s := range w.history {
		parts = append(parts, string(s.disposition))
		count[string(s.disposition)]++
	}
	for _, p := range w.swept {
		count[string(p.Retry)]++
	}
	if parts = slices.Compact(parts); len(w.history) > 4 || len(w.swept) > 0 {
		parts = nil
		for _, d := range reports.Dispositions() {
			if n := count[string(d)]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, d))
			}
		}
	}
	text := strings.Join(parts, ", ")
	if n := len(w.swept); n > 1 {
		text = fmt.Sprintf("%d points: %s", n, text)
	}
	if o := w.overlap; o != nil {
		text += fmt.Sprintf(" in the last of %d rounds", o.Rounds)
	}
	if w.passage.remark != "" {
		text += "; " + w.passage.remark
	}
	if w.inferred {
		text += " (inferred from the answers alone)"
	}
	return text
}
