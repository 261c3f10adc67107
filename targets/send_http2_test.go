package targets_test

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// overTLS starts a server of net/http and gives the option of a sender that trusts it.
func overTLS(t *testing.T, h2 bool, handler http.HandlerFunc) (*httptest.Server, func(*targets.SenderOptions)) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = h2
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, func(o *targets.SenderOptions) {
		o.TLS = server.Client().Transport.(*http.Transport).TLSClientConfig
	}
}

// overH2C starts a server that speaks only HTTP/2, in the clear.
func overH2C(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Config.ErrorLog = quiet()
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func h2c(o *targets.SenderOptions) { o.H2C = true }

// echo says what it was asked.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Keys", strings.Join(r.Header["Idempotency-Key"], ","))
	w.Header().Set("X-Agent", r.UserAgent())
	w.Header().Set("X-Accept-Encoding", r.Header.Get("Accept-Encoding"))
	w.WriteHeader(http.StatusCreated)
	io.WriteString(w, r.Proto+" "+r.Method+" "+r.URL.RequestURI()+" "+string(body))
}

func TestHTTP2(t *testing.T) {
	t.Parallel()
	server, trust := overTLS(t, true, echo)
	plain := overH2C(t, echo)
	for name, row := range map[string]struct {
		url  string
		with func(*targets.SenderOptions)
	}{
		"ALPN": {server.URL, trust}, "h2c": {plain.URL, h2c},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := create(row.url + "/v1/tasks?q=a b")
			a.Header["Idempotency-Key"] = []string{"k-1", "k-2"}
			x := send(t, sender(row.with), a)
			require.Equal(t, 201, x.Status, x.Err)
			assert.Equal(t, "HTTP/2.0", x.Proto)
			assert.Equal(t, `HTTP/2.0 POST /v1/tasks?q=a%20b {"note":"hello"}`, string(x.Content))
			assert.Equal(t, "k-1,k-2", x.Answer.Get("X-Keys"))
			assert.Equal(t, "idemcheck", x.Answer.Get("X-Agent"))
			assert.Empty(t, x.Answer.Get("X-Accept-Encoding"))
			inOrder(t, x.Began, x.Connected, x.Wrote, x.Ended)
			inOrder(t, x.Connected, x.FirstByte, x.Ended)

			a.Method, a.Body = http.MethodDelete, nil
			x = send(t, sender(row.with), a)
			assert.Equal(t, 201, x.Status, x.Err)
			assert.False(t, x.Wrote.IsZero())
		})
	}
}

func TestHTTP2BodiesAreCappedAndDecoded(t *testing.T) {
	t.Parallel()
	server := overH2C(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(zip(make([]byte, 1<<20)))
	})
	x := send(t, sender(h2c, func(o *targets.SenderOptions) { o.MaxBody = 1000 }), create(server.URL))
	assert.True(t, x.Cut)
	assert.Len(t, x.Content, 1000)
	assert.Empty(t, x.Failure, x.Err)
}

func TestPrepareAndFaultsPreferHTTP1(t *testing.T) {
	t.Parallel()
	server, trust := overTLS(t, true, echo)
	x := sendWay(t, "prepare", create(server.URL), trust)
	assert.Equal(t, "HTTP/1.1", x.Proto)
	assert.Equal(t, `HTTP/1.1 POST / {"note":"hello"}`, string(x.Content))
	a := create(server.URL)
	a.Fault = targets.LostResponse
	x = sendWay(t, "send", a, trust)
	assert.Equal(t, "HTTP/1.1", x.Proto)
	assert.Equal(t, targets.FailureFault, x.Failure, x.Err)
}

// onlyHTTP2 refuses clients that do not offer HTTP/2, as some gateways do.
func onlyHTTP2(server *httptest.Server) {
	base := server.TLS.Clone()
	base.NextProtos = []string{"h2"}
	server.TLS.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		c := base.Clone()
		for _, p := range hello.SupportedProtos {
			if p == "h2" {
				return c, nil
			}
		}
		c.NextProtos = []string{"none"}
		return c, nil
	}
}

func TestPrepareFallsBackToHTTP2(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = quiet()
	server.TLS = &tls.Config{}
	server.StartTLS()
	t.Cleanup(server.Close)
	onlyHTTP2(server)
	skip := func(o *targets.SenderOptions) { o.TLS = &tls.Config{InsecureSkipVerify: true} }
	x := sendWay(t, "prepare", create(server.URL), skip)
	assert.Equal(t, "HTTP/2.0", x.Proto, x.Err)
	assert.Equal(t, 201, x.Status)
}

func TestHTTP2PrepareHoldsTheRequestOpen(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"body": "hello", "one byte": "h", "no body": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inside, whole := make(chan struct{}, 1), make(chan string, 1)
			server := overH2C(t, func(w http.ResponseWriter, r *http.Request) {
				inside <- struct{}{}
				b, _ := io.ReadAll(r.Body)
				whole <- string(b)
			})
			a := create(server.URL)
			a.Body = []byte(body)
			held := sender(h2c).Prepare(t.Context(), a)
			require.False(t, held.Failed())
			if body != "" {
				<-inside // the handler runs, and waits for the last byte
			}
			assert.Empty(t, whole)
			held.Release()
			x := held.Finish(t.Context())
			assert.Equal(t, 200, x.Status, x.Err)
			assert.Equal(t, body, <-whole)
			inOrder(t, x.Connected, x.Wrote, x.Ended)
		})
	}
}

func TestHTTP2NeverReleased(t *testing.T) {
	t.Parallel()
	inside, read := make(chan struct{}), make(chan error, 1)
	server := overH2C(t, func(w http.ResponseWriter, r *http.Request) {
		close(inside)
		_, err := io.ReadAll(r.Body)
		read <- err
	})
	held := sender(h2c).Prepare(t.Context(), create(server.URL))
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := held.Finish(ctx)
	assert.Equal(t, targets.FailureCancelled, x.Failure, x.Err)
	assert.True(t, x.Wrote.IsZero())
	assert.Error(t, <-read, "the last byte was not sent")
}

// A target that answers before it has the body may not keep one who hangs up in it.
func TestHTTP2AnsweredBeforeTheHangUp(t *testing.T) {
	t.Parallel()
	for _, fault := range []targets.FaultKind{targets.HangUpHeaders, targets.HangUpHalfBody} {
		answered := make(chan struct{})
		server := overH2C(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
		a := create(server.URL)
		a.Fault, a.OnFirstByte = fault, func() { close(answered) }
		held := sender(h2c).Prepare(t.Context(), a)
		<-answered
		held.Release()
		assert.Equal(t, targets.FailureFault, held.Finish(t.Context()).Failure, fault)
	}
}

func TestHTTP2Faults(t *testing.T) {
	t.Parallel()
	for fault, row := range map[targets.FaultKind]struct {
		body  string
		whole bool
	}{
		targets.HangUpHeaders:    {},
		targets.HangUpHalfBody:   {body: `{"note":`},
		targets.HangUpAfterWrite: {body: `{"note":"hello"}`, whole: true},
		targets.LostResponse:     {body: `{"note":"hello"}`, whole: true},
	} {
		for _, way := range []string{"send", "prepare"} {
			t.Run(string(fault)+"/"+way, func(t *testing.T) {
				t.Parallel()
				got, done := make(chan string, 2), make(chan struct{})
				server := overH2C(t, func(w http.ResponseWriter, r *http.Request) {
					b, _ := io.ReadAll(r.Body)
					got <- string(b)
					if fault == targets.HangUpAfterWrite {
						<-done
					}
				})
				a := create(server.URL)
				a.Fault = fault
				x := sendWay(t, way, a, h2c)
				close(done)
				assert.Equal(t, row.body, <-got)
				assert.Equal(t, targets.FailureFault, x.Failure, x.Err)
				assert.Zero(t, x.Status)
				assert.Equal(t, row.whole, !x.Wrote.IsZero())
				assert.Equal(t, fault == targets.LostResponse, !x.FirstByte.IsZero())
			})
		}
	}
}
