package discover

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// printable makes what a vendor sent fit for a terminal: one line, cut, with whatever does not print escaped.
func printable(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	quoted := strconv.QuoteToGraphic(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// answered says what an exchange was answered: "422 Unprocessable Entity: {"error":"…"}".
func answered(x targets.Exchange) string {
	text := strings.TrimSpace(fmt.Sprintf("%d %s", x.Status, http.StatusText(x.Status)))
	if body := printable(string(x.Content), 160); body != "" {
		text += ": " + body
	}
	return text
}

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
