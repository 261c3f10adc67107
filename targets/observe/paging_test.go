package observe_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// pages is a list of three pages, of which the second repeats the end of the first.
var pages = [][]string{{"a", "b"}, {"b", "c"}, {"d"}}

var allPages = []string{"a", "b", "c", "d"}

// show writes page n (from 0) with a link to the next one.
func show(w http.ResponseWriter, n int, next any) {
	items := []map[string]string{}
	if n < len(pages) {
		for _, id := range pages[n] {
			items = append(items, map[string]string{"id": id})
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"tasks": items, "next": next})
}

// number reads a page number or cursor from the query.
func number(r *http.Request, param string) int {
	n, _ := strconv.Atoi(r.URL.Query().Get(param))
	return n
}

func TestPaging(t *testing.T) {
	t.Parallel()
	byURL := func(write func(r *http.Request, n int) string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			n := number(r, "p")
			if n == len(pages)-1 {
				show(w, n, nil)
				return
			}
			show(w, n, write(r, n+1))
		}
	}
	for name, c := range map[string]struct {
		spec   targets.ListCall
		handle http.HandlerFunc
	}{
		"relative URL": {targets.ListCall{Next: "$.next"}, byURL(func(_ *http.Request, n int) string { return fmt.Sprintf("?p=%d", n) })},
		"path":         {targets.ListCall{Next: "$.next"}, byURL(func(_ *http.Request, n int) string { return fmt.Sprintf("/v1/tasks?p=%d#x", n) })},
		"absolute URL": {targets.ListCall{Next: "$.next"}, byURL(func(r *http.Request, n int) string { return fmt.Sprintf("HTTP://%s/v1/tasks?p=%d", r.Host, n) })},
		"link": {targets.ListCall{Next: "link"}, func(w http.ResponseWriter, r *http.Request) {
			n := number(r, "p")
			w.Header().Add("Link", `</v1/tasks?p=0>; rel=first`)
			if n < len(pages)-1 {
				w.Header().Add("Link", fmt.Sprintf(`<?p=9,9>; rel="last", </v1/tasks?p=%d>; title="a, \"b\">"; rel="x NEXT"`, n+1))
			}
			show(w, n, nil)
		}},
		"cursor": {targets.ListCall{Next: "$.next", Cursor: "after"}, func(w http.ResponseWriter, r *http.Request) {
			next := any(number(r, "after") + 1)
			if next == len(pages) {
				next = false
			}
			show(w, number(r, "after"), next)
		}},
		"cursor is the last id": {targets.ListCall{Next: "$.tasks[-1].id", Cursor: "after"}, func(w http.ResponseWriter, r *http.Request) {
			show(w, map[string]int{"": 0, "b": 1, "c": 2, "d": 3}[r.URL.Query().Get("after")], nil)
		}},
		"page": {targets.ListCall{Page: "p"}, func(w http.ResponseWriter, r *http.Request) { show(w, number(r, "p")-1, nil) }},
		"page from 0": {targets.ListCall{Page: "p", Request: targets.Request{Line: "GET /v1/tasks?p=0"}}, func(w http.ResponseWriter, r *http.Request) {
			show(w, number(r, "p"), nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.spec.Items, c.spec.ID = "$.tasks[*]", "$.id"
			got := counted(t, c.spec, c.handle)
			assert.Empty(t, got.Err)
			assert.Equal(t, 4, got.Count)
			assert.Equal(t, allPages, got.IDs)
		})
	}
}

// A filter that leaves a page without items must not end the paging.
func TestPagingGoesOnBehindWhere(t *testing.T) {
	t.Parallel()
	got := counted(t, targets.ListCall{Items: "$[*]", Page: "p", Where: "{{marker}}"}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, map[string]string{"1": `["x"]`, "2": `["m-1"]`}[r.URL.Query().Get("p")])
		if number(r, "p") > 2 {
			_, _ = fmt.Fprint(w, "[]")
		}
	})
	assert.Empty(t, got.Err)
	assert.Equal(t, 1, got.Count)
}

func TestPagingRefuses(t *testing.T) {
	t.Parallel()
	next := func(value any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { show(w, 0, value) }
	}
	for name, c := range map[string]struct {
		spec   targets.ListCall
		handle http.HandlerFunc
		want   string
	}{
		"same URL":    {targets.ListCall{Next: "$.next"}, next("?q=m-1"), "page 1: the next page is one that was read already"},
		"same cursor": {targets.ListCall{Next: "$.next", Cursor: "after"}, next("x"), "page 2: the next cursor is one that was used already"},
		"same page":   {targets.ListCall{Page: "p"}, next(nil), "page 2: p=2 has the same items as p=1"},
		"other host":  {targets.ListCall{Next: "$.next"}, next("https://evil.example/v1/tasks"), "the next page is on https://evil.example:443, which is not followed"},
		"other port":  {targets.ListCall{Next: "$.next"}, next("//127.0.0.1:1/"), "is not followed"},
		"file":        {targets.ListCall{Next: "$.next"}, next("file:///etc/passwd"), "is not followed"},
		"no URL":      {targets.ListCall{Next: "$.next"}, next("http://[::1"), "is not valid"},
		"object":      {targets.ListCall{Next: "$.next"}, next(map[string]int{"a": 1}), "neither a text nor a number"},
		"true":        {targets.ListCall{Next: "$.next"}, next(true), "neither a text nor a number"},
		"several":     {targets.ListCall{Next: "$.tasks[*].id"}, next(nil), "finds 2 values"},
		"bad link": {targets.ListCall{Next: "link"}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", `</v1; rel=next`)
			show(w, 0, nil)
		}, "malformed"},
		"endless URLs": {targets.ListCall{Next: "$.next"}, func(w http.ResponseWriter, r *http.Request) {
			show(w, 0, fmt.Sprintf("?p=%d", number(r, "p")+1))
		}, "more than 1000 pages"},
		"endless cursors": {targets.ListCall{Next: "$.next", Cursor: "p"}, func(w http.ResponseWriter, r *http.Request) {
			show(w, 9, number(r, "p")+1)
		}, "more than 1000 pages"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.spec.Items, c.spec.ID = "$.tasks[*]", "$.id"
			got := counted(t, c.spec, c.handle)
			assert.Contains(t, got.Err, c.want)
			assert.Zero(t, got.Count)
		})
	}
}
