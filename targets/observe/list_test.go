package observe_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

// counted reads a list call of a test server once.
func counted(t *testing.T, c targets.ListCall, handle http.HandlerFunc) targets.Reading {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	if c.Line == "" {
		c.Line = "GET /v1/tasks?q={{marker}}"
	}
	k := newClock()
	o := open(t, targets.Observer{Name: "tasks", List: &c}, observe.Deps{
		Send: send, Now: k.Now, Wait: k.Wait,
		Redact: func(s string) string { return strings.ReplaceAll(s, "s3cret", "[redacted]") },
	})
	q := marked("m-1")
	q.Base, q.Headers = server.URL, map[string]string{"Authorization": "Bearer s3cret"}
	return o.Count(t.Context(), q)
}

// body answers every request with the same JSON.
func body(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, text)
	}
}

func TestListOnePage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec targets.ListCall
		body string
		want targets.Reading
	}{
		"ids and refs": {
			targets.ListCall{Items: "$.mails[*]", ID: "$.id", Ref: "$.task"},
			`{"mails":[{"id":"M1","task":"D7"},{"id":"M2"}]}`,
			targets.Reading{Count: 2, IDs: []string{"M1", "M2"}, Refs: []string{"D7", ""}},
		},
		"no ids":           {targets.ListCall{Items: "$.tasks[*]"}, `{"tasks":[{},{}]}`, targets.Reading{Count: 2}},
		"empty":            {targets.ListCall{Items: "$.tasks[*]", ID: "$.id"}, `{"tasks":[]}`, targets.Reading{IDs: []string{}}},
		"null is empty":    {targets.ListCall{Items: "$.tasks[*]"}, `{"tasks":null}`, targets.Reading{}},
		"deep and empty":   {targets.ListCall{Items: "$.data[*].task"}, `{"data":[]}`, targets.Reading{}},
		"the list itself":  {targets.ListCall{Items: "$.tasks"}, `{"tasks":[1,2,3]}`, targets.Reading{Count: 3}},
		"the whole body":   {targets.ListCall{Items: "$[*]", ID: "$.id"}, `[{"id":7}]`, targets.Reading{Count: 1, IDs: []string{"7"}}},
		"rows are arrays":  {targets.ListCall{Items: "$[*]", ID: "$[0]"}, `[["a",1]]`, targets.Reading{Count: 1, IDs: []string{"a"}}},
		"large number":     {targets.ListCall{Items: "$[*]", ID: "$.id"}, `[{"id":9007199254740993}]`, targets.Reading{Count: 1, IDs: []string{"9007199254740993"}}},
		"one id twice":     {targets.ListCall{Items: "$[*]", ID: "$.id"}, `[{"id":"a"},{"id":"a"}]`, targets.Reading{Count: 2, IDs: []string{"a", "a"}}},
		"where":            {targets.ListCall{Items: "$[*]", ID: "$.id", Where: "{{marker}}"}, `[{"id":"a","n":"x m-1"},{"id":"b","n":"m-2"}]`, targets.Reading{Count: 1, IDs: []string{"a"}}},
		"where, in quotes": {targets.ListCall{Items: "$[*]", Where: `say "{{marker}}" <b>`}, `[{"n":"say \"m-1\" <b>"},{"n":"m-1"}]`, targets.Reading{Count: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := counted(t, c.spec, body(c.body))
			assert.Empty(t, got.Err)
			assert.Equal(t, c.want.Count, got.Count)
			assert.Equal(t, c.want.IDs, got.IDs)
			assert.Equal(t, c.want.Refs, got.Refs)
			assert.Equal(t, 1, got.Polls)
			assert.Equal(t, "tasks", got.Observer)
			assert.Equal(t, "m-1", got.Marker)
			assert.False(t, got.At.IsZero())
		})
	}
}

func TestListRefuses(t *testing.T) {
	t.Parallel()
	answer := func(status int, media, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			w.WriteHeader(status)
			_, _ = fmt.Fprint(w, text)
		}
	}
	long := strings.Repeat("x", 200)
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		want   string
	}{
		"html":           {answer(200, "text/html; charset=utf-8", "<!doctype html>\n <p>s3cret"), "GET /v1/tasks answered 200 text/html, not JSON: <!doctype html> <p>[redacted]"},
		"long":           {answer(200, "text/plain", long), "not JSON: " + strings.Repeat("x", 80) + "…"},
		"no content":     {answer(204, "application/json", ""), "GET /v1/tasks answered 204 application/json, not JSON: (empty)"},
		"server error":   {answer(500, "application/json", `{"error":"s3cret"}`), `GET /v1/tasks answered 500 application/json: {"error":"[redacted]"}`},
		"unauthorized":   {answer(401, "application/json", `{}`), "GET /v1/tasks answered 401 application/json: {}"},
		"redirect":       {answer(302, "", ""), "GET /v1/tasks answered 302"},
		"another shape":  {body(`{"data":[]}`), `GET /v1/tasks answered 200 application/json: there is no $.tasks: {"data":[]}`},
		"a text":         {body(`{"tasks":"none"}`), "$.tasks is not a list"},
		"no id":          {body(`{"tasks":[{"id":"a"},{"name":"b"}]}`), "page 1: item 2: it has no id at $.id"},
		"cut JSON":       {body(`{"tasks":[`), "not JSON"},
		"two documents":  {body(`{"tasks":[]} {"tasks":[1]}`), "not JSON"},
		"too many items": {body(`{"tasks":[` + strings.Repeat("1,", 100_000) + `1]}`), "more than 100000 items"},
		"half an answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = fmt.Fprint(w, `{"tasks":[]}`)
		}, "GET /v1/tasks got no answer: the connection ended"},
		"more pages": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", `</v1/tasks?p=2>; rel="next"`)
			_, _ = fmt.Fprint(w, `{"tasks":[]}`)
		}, "names a next page"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := counted(t, targets.ListCall{Items: "$.tasks[*]", ID: "$.id"}, c.handle)
			assert.Contains(t, got.Err, c.want)
			assert.Zero(t, got.Count)
			assert.NotContains(t, got.Err, "s3cret")
		})
	}
}

func TestListObject(t *testing.T) {
	t.Parallel()
	got := counted(t, targets.ListCall{Items: "$.task"}, body(`{"task":{"id":"a"}}`))
	assert.Contains(t, got.Err, "$.task is an object and not a list")
}

func TestListUnreachable(t *testing.T) {
	t.Parallel()
	o := open(t, targets.Observer{List: &targets.ListCall{Request: targets.Request{Line: "GET /x"}, Items: "$[*]"}}, observe.Deps{Send: send})
	q := marked("m")
	q.Base = "http://127.0.0.1:1"
	assert.Equal(t, "GET /x got no answer: connection refused", o.Count(t.Context(), q).Err)
	assert.Equal(t, "list", o.Name())
}

// What the sender cut at its cap must not be counted, even where the rest happens to be JSON.
func TestListCutAnswer(t *testing.T) {
	t.Parallel()
	o := open(t, targets.Observer{List: &targets.ListCall{Request: targets.Request{Line: "GET /x"}, Items: "$"}}, observe.Deps{
		Send: func(_ context.Context, a targets.Attempt) targets.Exchange {
			return targets.Exchange{Attempt: a, Status: 200, Content: []byte("[1]"), Cut: true}
		},
	})
	q := marked("m")
	q.Base = "http://127.0.0.1"
	assert.Equal(t, "GET /x answered 200 without a media type longer than the 3 bytes that are read", o.Count(t.Context(), q).Err)
}

func TestListWithTheRealSender(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if number(r, "p") < 2 {
			w.Header().Set("Link", fmt.Sprintf("<?p=%d>; rel=next", number(r, "p")+1))
		}
		show(w, number(r, "p"), nil)
	}))
	t.Cleanup(server.Close)
	sender := targets.NewSender(targets.SenderOptions{Hosts: []string{server.URL}})
	c := targets.ListCall{Request: targets.Request{Line: "GET /v1/tasks"}, Items: "$.tasks[*]", ID: "$.id", Next: "link"}
	o := open(t, targets.Observer{List: &c}, observe.Deps{Send: sender.Send})
	q := marked("m")
	q.Base = server.URL
	got := o.Count(t.Context(), q)
	assert.Empty(t, got.Err)
	assert.Equal(t, allPages, got.IDs)
}

func TestListSendsCredentials(t *testing.T) {
	t.Parallel()
	got := counted(t, targets.ListCall{Items: "$"}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "[%t, %t]", r.Header.Get("Authorization") == "Bearer s3cret", r.URL.Query().Get("q") == "m-1")
	})
	assert.Empty(t, got.Err)
	assert.Equal(t, 2, got.Count)
}

func TestListRetryAfter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after []string // one for each busy answer
		want  string
	}{
		"twice":    {[]string{"3", "0"}, ""},
		"date":     {[]string{"Fri, 02 Jan 2026 03:04:15 GMT"}, ""},
		"past":     {[]string{"Fri, 02 Jan 2026 03:04:00 GMT"}, ""},
		"too long": {[]string{"31"}, "answered 429"},
		"in all":   {[]string{"20", "11"}, "answered 429"},
		"no end":   {[]string{"0", "0", "0", "0", "0", "0"}, "answered 429"},
		"unsaid":   {[]string{""}, "answered 429"},
		"nonsense": {[]string{"soon"}, "answered 429"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			got := counted(t, targets.ListCall{Items: "$"}, func(w http.ResponseWriter, _ *http.Request) {
				if n++; n <= len(c.after) {
					w.Header().Set("Retry-After", c.after[n-1])
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				_, _ = fmt.Fprint(w, "[1]")
			})
			if c.want != "" {
				assert.Contains(t, got.Err, c.want)
				return
			}
			assert.Empty(t, got.Err)
			assert.Equal(t, 1, got.Count)
		})
	}
}

func TestListOpenFindsMistakes(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]targets.ListCall{
		"items is missing":   {},
		"items:":             {Items: "tasks"},
		"id:":                {Items: "$", ID: "$.["},
		"ref:":               {Items: "$", Ref: "x"},
		"next:":              {Items: "$", Next: "x"},
		"page excludes next": {Items: "$", Next: "$.next", Page: "page"},
		"cursor needs next":  {Items: "$", Cursor: "after"},
	} {
		_, err := observe.Open(t.Context(), targets.Observer{Name: "tasks", List: &c}, observe.Deps{Send: send})
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, `open observer "tasks"`)
	}
	_, err := observe.Open(t.Context(), targets.Observer{List: &targets.ListCall{Items: "$"}}, observe.Deps{})
	assert.ErrorContains(t, err, "needs a sender")
}

func TestListTemplates(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]targets.ListCall{
		"build the list call": {Request: targets.Request{Line: "GET /{{nobody}}"}, Items: "$"},
		"expand where":        {Items: "$", Where: "{{nobody}}"},
		"every item":          {Items: "$", Where: "{{empty}}"},
	} {
		c := c
		if c.Line == "" {
			c.Line = "GET /"
		}
		o := open(t, targets.Observer{List: &c}, observe.Deps{Send: send})
		got := o.Count(t.Context(), observe.Query{Vars: targets.Vars{"empty": ""}, Base: "http://127.0.0.1:1"})
		assert.Contains(t, got.Err, want)
	}
}

func TestWaitEndsWithTheContext(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "20")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	o := open(t, targets.Observer{List: &targets.ListCall{Request: targets.Request{Line: "GET /"}, Items: "$"}}, observe.Deps{Send: send})
	ctx, cancel := contextAfter(t, 50*time.Millisecond)
	defer cancel()
	q := marked("m")
	q.Base = server.URL
	began := time.Now()
	got := o.Count(ctx, q)
	assert.NotEmpty(t, got.Err)
	require.Less(t, time.Since(began), 10*time.Second)
}
