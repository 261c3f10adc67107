package reference

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// guard refuses a task whose content was written before, in the manners of a profile that documents a content filter. It
// stands in the transaction of the work: a task and the mark of its content are there together, or neither is.
func (m *manners) guard(ctx context.Context, tx *sql.Tx, r *request, now time.Time) error {
	content := m.contentOf(r.body)
	if content == "" {
		return nil
	}
	forgotten := int64(-1) // nothing is as old
	if within := m.ContentFilter.Within.Std(); within > 0 {
		forgotten = now.Add(-within).UnixNano()
	}
	fresh, err := changed(tx.ExecContext(ctx, `
		INSERT INTO contents (tenant, environment, content, written_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (tenant, environment, content) DO UPDATE SET written_at = excluded.written_at WHERE written_at <= ?`,
		r.caller.tenant, r.environment, content, now.UnixNano(), forgotten))
	if err != nil {
		return fmt.Errorf("mark the content: %w", err)
	}
	if fresh {
		return nil
	}
	clause := targets.Clause{Mode: targets.Strings{targets.ModeReject}, Status: m.ContentFilter.Status, Claim: m.ContentFilter.Claim}
	return m.refusal(clause, problem{Status: http.StatusConflict, Code: "duplicate_content",
		Detail: "The same content was written before, under another key."}, "")
}

// contentOf gives what a profile's content filter compares of a body: the members that have the owner's names for them,
// whatever the spelling. A body without any of them has nothing that is compared.
func (m *manners) contentOf(body []byte) string {
	var members map[string]json.RawMessage
	if m == nil || len(m.ContentFilter.Compares) == 0 || json.Unmarshal(body, &members) != nil {
		return ""
	}
	found := map[string]json.RawMessage{}
	for name, value := range members {
		if plain := plainName(name); slices.ContainsFunc(m.ContentFilter.Compares, func(c string) bool { return plainName(c) == plain }) {
			found[plain] = value
		}
	}
	if len(found) == 0 {
		return ""
	}
	text, err := json.Marshal(found)
	if err != nil { // what was read as JSON always encodes
		panic(err)
	}
	return string(text)
}

// plainName is a name without what only its spelling has: "order id", order_id and orderId are one.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
