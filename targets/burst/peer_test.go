package burst_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/burst"
)

// soon is long enough for anything that must happen and short enough to wait for when it does not.
const soon = 20 * time.Second

// target is a server that keeps the bodies that it has read whole.
type target struct {
	*httptest.Server
	mu     sync.Mutex
	bodies map[string][][]byte // by the header Attempt
	proto  map[string]bool
	conns  map[string]bool
}

// serve starts a target that handles requests after it has kept them.
func serve(t testing.TB, way way, then http.HandlerFunc, with ...func(*http.Server)) *target {
	t.Helper()
	s := &target{bodies: map[string][][]byte{}, proto: map[string]bool{}, conns: map[string]bool{}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handle(w, r, then)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	for _, w := range with {
		w(s.Config)
	}
	way.start(s.Server)
	t.Cleanup(s.Close)
	return s
}

func (s *target) handle(w http.ResponseWriter, r *http.Request, then http.HandlerFunc) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	name := r.Header.Get("Attempt")
	s.bodies[name] = append(s.bodies[name], body)
	s.proto[r.Proto] = true
	s.conns[r.RemoteAddr] = true
	s.mu.Unlock()
	if then != nil {
		then(w, r)
	}
}

// got gives the bodies that came for an attempt.
func (s *target) got(i int) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies[strconv.Itoa(i)]
}

func (s *target) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// way is how a target is spoken to.
type way struct {
	name       string
	tls, http2 bool
}

var ways = []way{{name: "plain"}, {name: "TLS", tls: true}, {name: "h2c", http2: true}, {name: "h2", tls: true, http2: true}}

// start lets a server speak this way, and no other.
func (w way) start(s *httptest.Server) {
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(!w.http2)
	s.Config.Protocols.SetHTTP2(w.http2 && w.tls)
	s.Config.Protocols.SetUnencryptedHTTP2(w.http2 && !w.tls)
	if !w.tls {
		s.Start()
		return
	}
	s.TLS = &tls.Config{}
	if s.Config.TLSConfig != nil {
		s.TLS = s.Config.TLSConfig
	}
	if s.EnableHTTP2 = w.http2; w.http2 {
		s.TLS.NextProtos = []string{"h2"}
	}
	s.StartTLS()
}

// sender is one that trusts a server and speaks to it this way.
func (w way) sender(s *httptest.Server, with ...func(*targets.SenderOptions)) *targets.Sender {
	return newSender(append([]func(*targets.SenderOptions){func(o *targets.SenderOptions) {
		o.H2C = w.http2
		if w.tls {
			pool := x509.NewCertPool()
			pool.AddCert(s.Certificate())
			o.TLS = &tls.Config{RootCAs: pool}
		}
	}}, with...)...)
}

// techniques are those that this way allows for requests with a body.
func (w way) techniques() []burst.Technique {
	if w.http2 {
		return []burst.Technique{burst.HTTP2SingleWrite, burst.HTTP2Burst}
	}
	return []burst.Technique{burst.HTTP1BodyGate, burst.HTTP1HeaderGate, burst.Plain}
}

// numbered gives n attempts with the same body, each with its number.
func numbered(url string, body []byte, n int) []targets.Attempt {
	all := make([]targets.Attempt, n)
	for i := range all {
		all[i] = targets.Attempt{
			Name: strconv.Itoa(i), Method: "POST", URL: url, Body: body,
			Header: http.Header{"Attempt": {strconv.Itoa(i)}, "Idempotency-Key": {"k-1"}},
		}
	}
	return all
}

// payload is a body of so many bytes.
func payload(n int) []byte { return bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n] }

// probe is a harmless request.
func probe(url string) *targets.Attempt {
	return &targets.Attempt{Method: "GET", URL: url + "/health", Header: http.Header{"Attempt": {"probe"}}}
}

func describe(x targets.Exchange) string {
	return fmt.Sprintf("%s %s: %d %s %s", x.Name, x.Proto, x.Status, x.Failure, x.Err)
}
