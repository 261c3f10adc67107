package reference

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// invoice is a task with a member that PayPal compares beside the key.
func invoice(id string) string {
	return fmt.Sprintf(`{"event":"E204","account":"A18","revision":"P3","note":"n","invoiceId":%q}`, id)
}

// A stand-in's content filter marks a content in the transaction of its task: what was rolled back leaves no mark, one tenant's
// content is not another's, and of many at once under keys of their own one is written.
func TestContentFilter(t *testing.T) {
	t.Parallel()
	p, err := targets.ProfileNamed("paypal", ".")
	require.NoError(t, err)
	s := start(t, Options{Profile: &p})
	s.approve("E204", "A18")
	s.approve("E204", "A18", "Authorization: Bearer reference-t2")
	task := func(key, id string, headers ...string) int {
		return s.send("POST /v1/tasks", invoice(id), append(headers, "Paypal-Request-Id: "+key)...).status
	}
	assert.Equal(t, 500, task("k1", "I1", "Test-Fail: 500"))
	assert.Equal(t, 201, task("k2", "I1"), "what failed has left no mark")
	assert.Equal(t, 422, task("k3", "I1"))
	assert.Equal(t, 422, task("k3", "I1"), "a refusal does not use the key up, and stays one")
	assert.Equal(t, 201, task("k3", "I2"))
	assert.Equal(t, 200, task("k2", "I1"), "the key answers before the filter does")
	assert.Equal(t, 201, task("k4", "I1", "Authorization: Bearer reference-t2"))
	assert.Equal(t, 201, s.send("POST /v1/tasks", body("n"), "Paypal-Request-Id: k5").status, "nothing in it is compared")

	statuses := make([]int, 8)
	var all sync.WaitGroup
	for i := range statuses {
		all.Go(func() { statuses[i] = task(fmt.Sprintf("together-%d", i), "I3") })
	}
	all.Wait()
	made := map[int]int{}
	for _, status := range statuses {
		made[status]++
	}
	assert.Equal(t, map[int]int{201: 1, 422: 7}, made)
}

// What a member is called in a body is another spelling of what its owner calls it.
func TestContentOf(t *testing.T) {
	t.Parallel()
	m := mannersOf(&targets.Profile{ContentFilter: targets.ContentFilter{Compares: targets.Strings{"order id", "amount"}}})
	same := m.contentOf([]byte(`{"order_id":"1","amount":2,"note":"n"}`))
	assert.Equal(t, same, m.contentOf([]byte(`{"amount":2,"orderId":"1","note":"other"}`)))
	assert.NotEqual(t, same, m.contentOf([]byte(`{"amount":3,"orderId":"1"}`)))
	assert.Empty(t, m.contentOf([]byte(`{"note":"n"}`)))
	assert.Empty(t, mannersOf(nil).contentOf([]byte(`{"amount":2}`)))
}
