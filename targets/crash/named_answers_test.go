package crash

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// scripted is a target that answers the requests about points with whatever it is told to.
func scripted(t *testing.T, handler http.HandlerFunc) targets.Points {
	t.Helper()
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	sender := targets.NewSender(targets.SenderOptions{Hosts: []string{web.URL}})
	section := &targets.NamedPoints{
		Passed:  targets.Passed{Request: targets.Request{Line: "GET /passed"}, Labels: "$.labels"},
		Arm:     targets.Request{Line: "PUT /arm/{{label}}/{{occurrence}}/{{side}}"},
		Reached: targets.Reached{Request: targets.Request{Line: "GET /reached/{{label}}"}, When: "$.there"},
		Release: targets.Request{Line: "DELETE /arm"},
	}
	return NewNamed(section, sender.Send, web.URL, map[string]string{"X-Token": "t"})
}

var aPoint = targets.Point{Label: "b c", Occurrence: 2, Side: targets.Before}

func TestNamedRefused(t *testing.T) {
	t.Parallel()
	p := scripted(t, http.NotFound)
	_, err := p.Arm(t.Context(), aPoint, targets.Kill, nil)
	assert.EqualError(t, err, "arm the crash point b c#2:before: the target answered 404 to PUT /arm/{{label}}/{{occurrence}}/{{side}}")
	_, err = p.Record(t.Context())
	assert.EqualError(t, err, "begin a record of the steps: the target answered 404 to DELETE /arm")
	err = p.Quiesce(t.Context(), time.Millisecond, nil)
	assert.EqualError(t, err, "wait until the target takes no step: ask for the steps taken: the target answered 404 to GET /passed")
	_, err = p.Arm(t.Context(), aPoint, targets.HostCrash, nil)
	assert.EqualError(t, err, "arm the crash point b c#2:before: host-crash cannot be had at steps that the target names")
}

func TestNamedLabels(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{"labels": ["a", "b c"]}`: {"a", "b c"}, `{"labels": []}`: {}, `{"labels": null}`: {}, `{}`: {}, `{"labels": "a"}`: {"a"},
		`{"labels": [1]}`: nil, `{"labels": {}}`: nil, `[`: nil, ``: nil,
	} {
		p := scripted(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) })
		stop, err := p.Record(t.Context())
		require.NoError(t, err)
		labels, err := stop(t.Context())
		if want == nil {
			assert.ErrorContains(t, err, "ask for the steps taken: ", body)
			continue
		}
		require.NoError(t, err, body)
		assert.Equal(t, want, labels, body)
	}
}

// A target that answers at once is asked until it stands at the point, with the values of the point.
func TestNamedPolls(t *testing.T) {
	t.Parallel()
	var asked, released atomic.Int32
	p := scripted(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case "PUT /arm/b c/2/before":
			assert.Equal(t, "t", r.Header.Get("X-Token"))
		case "GET /reached/b c":
			io.WriteString(w, map[bool]string{true: `{"there": true}`, false: `{"there": false}`}[asked.Add(1) >= 4])
		case "DELETE /arm":
			released.Add(1)
		default:
			t.Error(r.Method, r.URL.Path)
		}
	})
	fired := false
	armed, err := p.Arm(t.Context(), aPoint, targets.Kill, func() { fired = true })
	require.NoError(t, err)
	<-armed.Done()
	assert.True(t, fired && armed.Disarm())
	assert.EqualValues(t, 4, asked.Load())
	assert.Zero(t, released.Load(), "who is killed is asked for nothing")

	asked.Store(-1000)
	armed, err = p.Arm(t.Context(), aPoint, targets.Disconnect, func() { t.Error("never reached") })
	require.NoError(t, err)
	assert.False(t, armed.Disarm())
	assert.EqualValues(t, 1, released.Load())
}

// What says nothing about the point is not taken for its being reached.
func TestNamedNeverReached(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"there": "true"}`, `{}`, `[`} {
		var asked atomic.Int32
		ctx, cancel := context.WithCancel(t.Context())
		p := scripted(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && asked.Add(1) == 3 {
				cancel()
			}
			io.WriteString(w, body)
		})
		armed, err := p.Arm(ctx, aPoint, targets.Kill, func() { t.Error("fired at", body) })
		require.NoError(t, err)
		<-armed.Done()
		assert.EqualValues(t, 3, asked.Load(), body)
		assert.False(t, armed.Disarm(), body)
	}
	p := scripted(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	armed, err := p.Arm(t.Context(), aPoint, targets.Kill, func() { t.Error("fired at an error") })
	require.NoError(t, err)
	<-armed.Done()
	assert.False(t, armed.Disarm())
}

// A target is quiet when no step was added for a while, apart from those that it takes while it is idle.
func TestNamedQuiesces(t *testing.T) {
	t.Parallel()
	lists := []string{`["a"]`, `["a", "b"]`, `["a", "b", "tick"]`}
	var asked atomic.Int32
	p := scripted(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"labels": `+lists[min(int(asked.Add(1)), len(lists))-1]+`}`)
	})
	require.NoError(t, p.Quiesce(t.Context(), time.Millisecond, map[string]bool{"tick": true}))
	assert.EqualValues(t, 3, asked.Load(), "the third differs only in what is ignored")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorContains(t, p.Quiesce(ctx, time.Hour, nil), "wait until the target takes no step: ")
}
