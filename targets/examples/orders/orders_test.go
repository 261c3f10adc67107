package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const body = `{"reference": "E204 P3", "customer": "A18", "note": "call back 50%", "amount": 1250}`

// each runs a test on every variant: without a crash they are all right.
func each(t *testing.T, test func(t *testing.T, variant string)) {
	t.Parallel()
	dsn(t)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			test(t, v.name)
		})
	}
}

func TestCreateAndReplay(t *testing.T) {
	each(t, func(t *testing.T, variant string) {
		a := start(t, variant)
		first := a.create(t, "k", body)
		require.Equal(t, http.StatusCreated, first.status, first.text)
		assert.Empty(t, first.header.Get("Idempotent-Replayed"))
		assert.Equal(t, fmt.Sprint("/v1/orders/", first.body["id"]), first.header.Get("Location"))
		for _, again := range []response{
			a.create(t, "k", body), a.create(t, `"k"`, body),
			a.create(t, "k", `{"amount":1250,"note":"call back 50%","customer":"A18","reference":"E204 P3"}`),
		} {
			assert.Equal(t, http.StatusCreated, again.status)
			assert.Equal(t, first.text, again.text)
			assert.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
			assert.Equal(t, first.header.Get("Location"), again.header.Get("Location"))
			assert.Equal(t, first.header.Get("Content-Type"), again.header.Get("Content-Type"))
		}
		assert.Equal(t, 1, a.orders(t))
		other := a.create(t, "K", body)
		assert.Equal(t, http.StatusCreated, other.status)
		assert.NotEqual(t, first.body["id"], other.body["id"])
		assert.Equal(t, 2, a.orders(t))
	})
}

func TestAnotherPayloadIsRefused(t *testing.T) {
	each(t, func(t *testing.T, variant string) {
		a := start(t, variant)
		first := a.create(t, "k", body)
		refused(t, a.create(t, "k", strings.Replace(body, "1250", "1251", 1)), errReused)
		assert.Equal(t, first.text, a.create(t, "k", body).text)
		assert.Equal(t, 1, a.orders(t))
	})
}

func TestARefusalLeavesNothing(t *testing.T) {
	each(t, func(t *testing.T, variant string) {
		a := start(t, variant)
		refused(t, a.create(t, "", body), badRequest("idempotency_key_missing", ""))
		refused(t, a.create(t, `""`, body), badRequest("idempotency_key_missing", ""))
		refused(t, a.create(t, strings.Repeat("x", 256), body), badRequest("idempotency_key_invalid", ""))
		refused(t, a.create(t, "k", strings.Replace(body, "A18", "", 1)), badRequest("invalid_order", ""))
		refused(t, a.create(t, "k", body[:20]), badRequest("malformed_body", ""))
		refused(t, a.create(t, "k", strings.Repeat(" ", maxBody+1)), problem{status: http.StatusRequestEntityTooLarge, code: "body_too_large"})
		assert.Equal(t, 0, a.orders(t))
		corrected := a.create(t, "k", body)
		assert.Equal(t, http.StatusCreated, corrected.status, corrected.text)
		assert.Empty(t, corrected.header.Get("Idempotent-Replayed"))
	})
}

func TestReadListAndDelete(t *testing.T) {
	each(t, func(t *testing.T, variant string) {
		a := start(t, variant)
		first := a.create(t, "k", body)
		list := a.url + "/v1/orders?q=back+50%25"
		one := a.url + first.header.Get("Location")
		assert.Equal(t, first.body, call(t, "GET", one, "", "").body)
		assert.Equal(t, []any{first.body}, call(t, "GET", list, "", "").body["orders"])
		assert.Equal(t, []any{}, call(t, "GET", a.url+"/v1/orders?q=back%25", "", "").body["orders"], "a pattern is a text like any other")
		assert.Equal(t, http.StatusNoContent, call(t, "DELETE", one, "", "").status)
		assert.Equal(t, []any{}, call(t, "GET", list, "", "").body["orders"])
		refused(t, call(t, "GET", one, "", ""), errNotFound)
		refused(t, call(t, "DELETE", one, "", ""), errNotFound)
		assert.Equal(t, first.text, a.create(t, "k", body).text, "what was done is still told")
		assert.Equal(t, 0, a.orders(t))
	})
}

// TestDoubleSend sends at once to two instances of the service, of which each has fewer connections than requests.
func TestDoubleSend(t *testing.T) {
	each(t, func(t *testing.T, variant string) {
		a := start(t, variant)
		other := api{url: listen(t, a.another(t, options{dsn: dsn(t), variant: variant, pool: 4}))}
		for round := range 10 {
			key := fmt.Sprint("k", round)
			answers := make([]response, 12)
			var all sync.WaitGroup
			for i := range answers {
				all.Go(func() { answers[i] = []api{a, other}[i%2].create(t, key, body) })
			}
			all.Wait()
			oneCreated(t, answers)
			assert.Equal(t, round+1, a.orders(t))
			assert.Equal(t, "true", a.create(t, key, body).header.Get("Idempotent-Replayed"))
		}
	})
}

// oneCreated wants one creation; all others replay it or are told that it goes on.
func oneCreated(t *testing.T, answers []response) {
	t.Helper()
	created, ids := 0, map[any]bool{}
	for _, r := range answers {
		if r.status == http.StatusConflict {
			refused(t, r, errInProgress)
			continue
		}
		assert.Equal(t, http.StatusCreated, r.status, r.text)
		ids[r.body["id"]] = true
		if r.header.Get("Idempotent-Replayed") == "" {
			created++
		}
	}
	assert.Equal(t, 1, created)
	assert.Len(t, ids, 1)
}

// TestInProgress stands in for a first request that goes on and on.
func TestInProgress(t *testing.T) {
	t.Parallel()
	dsn(t)
	const claimed = `insert into idempotency_keys (key, digest) values ('k', $1)`
	for _, tc := range []struct {
		variant  string
		begin    string
		hold     string
		release  string
		released int // status of the same request afterwards
	}{
		{"sound", "begin", claimed, "rollback", http.StatusCreated},
		{"two-transactions", "begin", `select pg_advisory_xact_lock(hashtextextended('k', 0)), $1::bytea`, "rollback", http.StatusCreated},
		{"stuck-in-progress", "select 1", claimed, "select 1", http.StatusConflict}, // its owner is gone, and it stays
	} {
		t.Run(tc.variant, func(t *testing.T) {
			t.Parallel()
			a := start(t, tc.variant, "lock_timeout", "20")
			sum, err := digest([]byte(body))
			require.NoError(t, err)
			a.exec(t, tc.begin)
			a.exec(t, tc.hold, sum)
			r := a.create(t, "k", body)
			refused(t, r, errInProgress)
			assert.Empty(t, r.header.Get("Retry-After"))
			a.exec(t, tc.release)
			assert.Equal(t, 0, a.orders(t))
			assert.Equal(t, tc.released, a.create(t, "k", body).status)
		})
	}
}

// TestNoDatabase cuts the connection of an instance that worked. What is not known is not answered as if it were.
func TestNoDatabase(t *testing.T) {
	each(t, func(t *testing.T, variant string) {
		a := start(t, variant)
		cable, address := bridged(t)
		base := listen(t, a.another(t, options{dsn: address, variant: variant, pool: 4}))
		require.Equal(t, http.StatusCreated, call(t, "POST", base+"/v1/orders", "k", body).status)
		cable.cut()
		for range 5 { // more than there are connections in the pool
			refused(t, call(t, "POST", base+"/v1/orders", "k2", body), errNoDatabase)
		}
		refused(t, call(t, "POST", base+"/v1/orders", "k", body), errNoDatabase)
		refused(t, call(t, "GET", base+"/v1/orders", "", ""), errNoDatabase)
		assert.Equal(t, 1, a.orders(t))
	})
}

// TestNotReady asks an instance that has never seen its database.
func TestNotReady(t *testing.T) {
	t.Parallel()
	s := serverOf(t, options{dsn: "postgres://nobody@127.0.0.1:1/none?sslmode=disable", variant: "sound", pool: 1})
	base := listen(t, s)
	refused(t, call(t, "GET", base+"/healthz", "", ""), errNotReady)
	refused(t, call(t, "POST", base+"/v1/orders", "k", body), errNotReady)
}

// TestHungUp asks for a client that has gone before the work begins.
func TestHungUp(t *testing.T) {
	each(t, func(t *testing.T, variant string) {
		a := start(t, variant)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for detached, status := range map[bool]int{false: http.StatusServiceUnavailable, true: http.StatusCreated} {
			s := a.another(t, options{dsn: dsn(t), variant: variant, pool: 1, detached: detached})
			req := httptest.NewRequestWithContext(gone, "POST", "/v1/orders", strings.NewReader(body))
			req.Header.Set("Idempotency-Key", fmt.Sprint(detached))
			w := httptest.NewRecorder()
			s.routes().ServeHTTP(w, req)
			assert.Equal(t, status, w.Code, w.Body)
		}
		assert.Equal(t, 1, a.orders(t))
	})
}
