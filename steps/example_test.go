package steps_test

import (
	"net/http"
	"testing"

	"github.com/idempotency-conformance/idemcheck/steps"
)

// The tests of a service check the promise of its keys in a few lines. The target says which request creates a record,
// how its key travels, and how records are counted.
func ExampleTest() {
	const target = `
name: orders
profile: ietf-draft-07
url: ${IDEMCHECK_URL}
operations:
  create-order:
    request: POST /orders
    body: {account: "{{target_record}}", note: "{{payload}} {{marker}}"}
    id: $.id
observers:
  - name: orders
    list: {request: "GET /orders?q={{marker}}", items: "$.orders[*]", id: $.id}
`
	var service http.Handler = newOrders() // yours

	TestOrders := func(t *testing.T) {
		steps.Test(t, steps.TestOptions{Handler: service, YAML: target, Skip: []string{"double-send*"}})
	}
	_ = TestOrders
}
