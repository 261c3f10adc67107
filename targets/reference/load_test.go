package reference

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestManyAtOnce sends one key from many clients at once, round after round, to one server and to two on one file: one
// of them does the work, and each other one is told so or that it still runs.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ clients, servers, rounds int }{{50, 1, 4}, {200, 1, 2}, {50, 2, 4}, {200, 2, 2}} {
		t.Run(fmt.Sprintf("%d to %d", c.clients, c.servers), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "store.db")
			var servers []*service
			for range c.servers {
				servers = append(servers, start(t, Options{Path: path}))
			}
			servers[0].approve("E204", "A18")
			for round := range c.rounds {
				key, ids := fmt.Sprint("k", round), map[string]bool{}
				for _, r := range atOnce(c.clients, func(i int) reply { return servers[i%c.servers].task(key, body("a")) }) {
					switch {
					case r.status == 201:
						ids[r.field("id")] = true
					case r.status != 409 || r.field("code") != inFlight().Code:
						t.Errorf("round %d: %d %s", round, r.status, r.body)
					}
				}
				equal(t, "ids", fmt.Sprint(len(ids)), "1")
			}
			equal(t, "records", servers[0].total(), fmt.Sprintf("%d tasks 0 notes %[1]d mails", c.rounds))
		})
	}
}
