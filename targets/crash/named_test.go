package crash

import (
	"context"
	"fmt"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/reference"
)

// stoppable is the reference API, whose points are asked for as its example file says.
type stoppable struct {
	targets.Points
	t       *testing.T
	api     *reference.Server
	web     *httptest.Server
	target  *targets.Target
	section *targets.NamedPoints
	sender  *targets.Sender
	sent    atomic.Int32
}

func startStoppable(t *testing.T) *stoppable {
	t.Helper()
	data, err := targets.Example("reference")
	require.NoError(t, err)
	target, err := targets.Parse("reference.yaml", data, func(string) (string, bool) { return "", false })
	require.NoError(t, err)
	api, err := reference.New(reference.Options{Path: t.TempDir() + "/reference.db", TestSwitches: true})
	require.NoError(t, err)
	web := httptest.NewServer(api)
	t.Cleanup(func() {
		assert.NoError(t, api.Close())
		web.Close()
	})
	s := &stoppable{t: t, api: api, web: web, target: target, section: target.Run.CrashPoints.Named,
		sender: targets.NewSender(targets.SenderOptions{Hosts: []string{web.URL}})}
	s.Points = NewNamed(s.section, s.sender.Send, web.URL, target.Headers)
	approve, err := target.Approve.Build(web.URL, target.Headers, targets.Vars{"event": "E204", "target_record": "A18"})
	require.NoError(t, err)
	require.True(t, s.sender.Send(t.Context(), approve).Succeeded())
	return s
}

// create sends a create under a key of its own.
func (s *stoppable) create(ctx context.Context) targets.Exchange {
	n := fmt.Sprint(s.sent.Add(1))
	a, err := s.target.Operations[0].Build(s.web.URL, s.target.Headers,
		targets.Vars{"event": "E204", "target_record": "A18", "revision": "P1", "payload": "a", "marker": n})
	require.NoError(s.t, err)
	a.Header.Set("Idempotency-Key", n)
	return s.sender.Send(ctx, a)
}

func (s *stoppable) arm(p string, f targets.PointFault, atPoint func()) targets.ArmedPoint {
	s.t.Helper()
	pt, err := targets.ParsePoint(p)
	require.NoError(s.t, err)
	armed, err := s.Arm(s.t.Context(), pt, f, atPoint)
	require.NoError(s.t, err)
	return armed
}

func (s *stoppable) passed() []string {
	s.t.Helper()
	stop, err := s.Record(s.t.Context())
	require.NoError(s.t, err)
	require.True(s.t, s.create(s.t.Context()).Succeeded())
	labels, err := stop(s.t.Context())
	require.NoError(s.t, err)
	return labels
}

func TestNamedRecords(t *testing.T) {
	t.Parallel()
	s := startStoppable(t)
	want := []string{"claim", "create task", "queue mail", "store answer", "commit"}
	assert.Equal(t, want, s.passed())
	assert.Equal(t, want, s.passed(), "a record begins empty")
	assert.Equal(t, "steps named by the target", s.About())
	assert.True(t, s.Can(targets.Kill) && s.Can(targets.Disconnect))
	assert.False(t, s.Can(targets.HostCrash) || s.Can(targets.CutStore))
	s.Settle()
}

func TestNamedFires(t *testing.T) {
	t.Parallel()
	s := startStoppable(t)
	sending, hangUp := context.WithCancel(t.Context())
	answered := make(chan targets.Exchange, 1)
	var lost targets.Exchange
	armed := s.arm("queue mail#1:after", targets.Disconnect, func() {
		hangUp()
		lost = <-answered
	})
	answered <- s.create(sending)
	<-armed.Done()
	assert.True(t, armed.Disarm())
	assert.True(t, armed.Disarm(), "the second time as the first")
	assert.Equal(t, targets.FailureCancelled, lost.Failure)
	assert.True(t, s.create(t.Context()).Succeeded(), "the target goes on")

	killed := s.arm("create task#2:before", targets.Kill, func() { assert.NoError(t, s.api.Close()) })
	assert.True(t, s.create(t.Context()).Succeeded(), "the first occurrence")
	x := s.create(t.Context())
	<-killed.Done()
	assert.True(t, killed.Disarm())
	assert.Equal(t, 0, x.Status, x.Err)
}

func TestNamedIsDisarmed(t *testing.T) {
	t.Parallel()
	s := startStoppable(t)
	never := func() { t.Error("a point fired that was given up") }
	armed := s.arm("commit#1:before", targets.Kill, never)
	assert.False(t, armed.Disarm())
	<-armed.Done()
	assert.True(t, s.create(t.Context()).Succeeded())

	first := s.arm("claim#1:before", targets.Kill, never)
	reached := make(chan struct{})
	second := s.arm("commit#1:after", targets.Disconnect, func() { close(reached) })
	<-first.Done()
	assert.True(t, s.create(t.Context()).Succeeded(), "it is let go")
	<-reached
	assert.True(t, second.Disarm())
	assert.False(t, first.Disarm())
	assert.Len(t, s.passed(), 5, "nothing is armed any more")

	ctx, cancel := context.WithCancel(t.Context())
	ended, err := s.Arm(ctx, targets.Point{Label: "commit", Occurrence: 1, Side: targets.Before}, targets.Kill, never)
	require.NoError(t, err)
	cancel()
	<-ended.Done()
	assert.False(t, ended.Disarm())
	assert.True(t, s.create(t.Context()).Succeeded(), "the point is released though its time was over")
}

// Disarm waits for a point that is being reached.
func TestNamedIsDisarmedWhileReached(t *testing.T) {
	t.Parallel()
	s := startStoppable(t)
	reached, goOn := make(chan struct{}), make(chan struct{})
	armed := s.arm("commit#1:before", targets.Disconnect, func() {
		close(reached)
		<-goOn
	})
	answered := make(chan bool, 1)
	go func() { answered <- s.create(t.Context()).Succeeded() }()
	<-reached
	disarmed := make(chan bool)
	for range 3 {
		go func() { disarmed <- armed.Disarm() }()
	}
	close(goOn)
	for range 3 {
		assert.True(t, <-disarmed)
	}
	assert.True(t, <-answered)
}

func TestNamedDiesWhileArmed(t *testing.T) {
	t.Parallel()
	s := startStoppable(t)
	armed := s.arm("commit#1:before", targets.Kill, func() { t.Error("a point fired in a dead target") })
	s.web.CloseClientConnections()
	require.NoError(t, s.web.Listener.Close())
	<-armed.Done()
	assert.False(t, armed.Disarm())
	_, err := s.Record(t.Context())
	assert.ErrorContains(t, err, "begin a record of the steps: the target did not answer: ")
	_, err = s.Arm(t.Context(), targets.Point{Label: "commit", Occurrence: 1, Side: targets.Before}, targets.Kill, nil)
	assert.ErrorContains(t, err, "arm the crash point commit#1:before: the target did not answer: ")
	assert.ErrorContains(t, s.Quiesce(t.Context(), 1, nil), "wait until the target takes no step: ")
}

// Creates and points that meet at random: every create is answered, and the target is left without a point.
func TestNamedUnderLoad(t *testing.T) {
	t.Parallel()
	s := startStoppable(t)
	answered := make(chan bool)
	for range 4 {
		go func() {
			for range 5 {
				answered <- s.create(t.Context()).Succeeded()
			}
		}()
	}
	ended, fired := make(chan struct{}), 0
	stop := make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			p := targets.Point{Label: []string{"claim", "commit"}[i%2], Occurrence: 1 + i%3, Side: targets.After}
			armed, err := s.Arm(t.Context(), p, targets.Disconnect, func() { fired++ })
			if assert.NoError(t, err) && i%4 > 0 {
				_ = rest(t.Context(), 2*firstPoll)
				armed.Disarm()
			}
		}
	}()
	for range 20 {
		assert.True(t, <-answered)
	}
	close(stop)
	<-ended
	s.arm("claim#1:after", targets.Kill, func() {}).Disarm()
	assert.Len(t, s.passed(), 5)
}
