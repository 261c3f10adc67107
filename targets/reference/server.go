package reference

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Options say how a Server runs. Only Path is needed.
type Options struct {
	// Path is the SQLite database file; it is created when missing. Several
	// servers, in one process or in many, may share it.
	Path string
	// Defects lists the defects to switch on, each as "name" or, where the
	// defect has a parameter, "name=duration". See Defects.
	Defects []string
	// TestSwitches makes the server honour the Test-* headers and /admin/*.
	TestSwitches bool
	// Retention is how long a key is kept from its first use; 0 means 24 hours.
	Retention time.Duration
	// Lease is how long a claim lives that nobody renews; 0 means 2 seconds.
	Lease time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// NewID makes the ids of leases, unique among all servers on the file;
	// nil means random ids.
	NewID func() string
	// Profile is whose stand-in the server is: it then behaves as that owner
	// documents. nil means its own behaviour, which GET /docs describes.
	Profile *targets.Profile
	// Logger gets the failures of the server; nil means none.
	Logger *slog.Logger
}

// Server is the reference API. It is an http.Handler and safe for concurrent use.
type Server struct {
	options  Options
	faults   faults
	store    *store
	ledger   ledger
	manners  *manners       // nil: its own
	sender   *senderManners // nil: its own CRM sends the events
	instance string         // names this server among those on the same file
	races    *races
	points   *points // nil without the test switches
	handler  http.Handler
}

// New opens the store, creates its tables when missing, and returns a server
// that is ready to answer. It refuses an unknown defect, naming the nearest.
// The caller has to Close the server.
func New(o Options) (*Server, error) {
	if o.Path == "" {
		return nil, errors.New("start the reference API: Options.Path is empty")
	}
	on, err := parseFaults(o.Defects)
	if err != nil {
		return nil, fmt.Errorf("start the reference API: %w", err)
	}
	if o.Retention < 0 || o.Lease < 0 {
		return nil, errors.New("start the reference API: Options.Retention and Options.Lease must not be negative")
	}
	o = withDefaults(o)
	st, err := openStore(o.Path)
	if err != nil {
		return nil, fmt.Errorf("start the reference API: %w", err)
	}
	s := &Server{options: o, faults: on, store: st, instance: o.NewID(), races: newRaces(),
		ledger: ledger{lease: o.Lease}, manners: mannersOf(o.Profile), sender: senderOf(o.Profile)}
	s.ledger.retention = s.wrongRetention(s.manners.kept(o.Retention))
	if o.TestSwitches {
		s.points = &points{}
	}
	if s.broken(claimOutlivesOwner) {
		s.ledger.lease = forEver
	}
	s.handler = s.routes()
	return s, nil
}

// forEver is longer than any test lasts.
const forEver = 1000 * time.Hour

// withDefaults fills in what the caller left out.
func withDefaults(o Options) Options {
	if o.Retention == 0 {
		o.Retention = 24 * time.Hour
	}
	if o.Lease == 0 {
		o.Lease = 2 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = uuid.NewString
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Handler returns the HTTP handler of the server.
func (s *Server) Handler() http.Handler { return s.handler }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// grace is how long Serve waits for running requests when it has to end.
const grace = 10 * time.Second

// Serve answers the connections of l, in HTTP/1.1 and in HTTP/2 without TLS,
// until ctx is done. It then lets running requests end, for ten seconds at
// most. It closes l and leaves the store open. It returns nil after a
// graceful end, and otherwise the reason why it ended.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler:           s.handler,
		Protocols:         protocols,
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(logWriter{s.options.Logger}, "", 0),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve the reference API: %w", err)
	case <-ctx.Done():
	}
	s.points.release() // who stands still would never end
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return fmt.Errorf("stop the reference API: %w", errors.Join(err, server.Close()))
	}
	return nil
}

// Close closes the store. Requests that still run then fail, and leave
// nothing behind but a claim that runs out. One that stands still at a crash
// point goes no further, as if the process had been killed there.
func (s *Server) Close() error {
	s.points.close()
	if err := s.store.close(); err != nil {
		return fmt.Errorf("close the store: %w", err)
	}
	return nil
}

// logWriter brings the messages of net/http to the logger.
type logWriter struct{ logger *slog.Logger }

func (w logWriter) Write(line []byte) (int, error) {
	w.logger.Warn("http", "message", string(line))
	return len(line), nil
}
