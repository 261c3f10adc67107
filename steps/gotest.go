package steps

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/idempotency-conformance/idemcheck/features"
	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// URLVariable stands in a target file for the address at which Test serves the handler: url: ${IDEMCHECK_URL}.
const URLVariable = "IDEMCHECK_URL"

// TestOptions say what Test checks. One of File and YAML is set.
type TestOptions struct {
	Handler http.Handler // served on this machine while the test runs; nil: the target runs already, at its url
	File    string       // the target file
	YAML    string       // or its text
	Only    []string     // globs for the cases to run, with those they stand on; none: all
	Skip    []string     // globs for the cases not to run
	Strict  bool         // a broken should fails the test as well
	Events  io.Writer    // gets the event stream, of which `idemcheck report render` makes reports; nil: nobody does
}

// Test checks a service within go test, with one subtest for each case, called by its address:
//
//	func TestOrders(t *testing.T) {
//		steps.Test(t, steps.TestOptions{Handler: orders.New(db), File: "testdata/orders.yaml"})
//	}
//
// A case that passes, passes. One that fails, is inconclusive or is an error fails, and its findings, counts and exchanges
// are printed. One that does not apply to the target, or stands on a case that failed, is skipped with its reason; so is
// one that breaks but a should or a may, without Strict, and one that fails as the target file's known failures say.
// Where nothing could be told the test itself fails: it is never green because nothing was counted.
//
// What needs the service to be killed or restarted does not apply to a handler: `idemcheck run` does that.
func Test(t *testing.T, o TestOptions) {
	t.Helper()
	r, err := o.run(t)
	if err != nil {
		t.Fatalf("idemcheck: %v", err)
	}
	for _, c := range r.Cases {
		t.Run(c.ID, func(t *testing.T) { tell(t, r, c) })
	}
	for _, k := range r.Known {
		if k.Stale() {
			t.Errorf("idemcheck: known failures, %s: %s", k.Place(), k.Advice())
		}
	}
	if r.Outcome.Exit != reports.ExitPass && !t.Failed() {
		t.Errorf("idemcheck: %s", r.Outcome.Reason)
	}
}

// tell says of one case what it came to.
func tell(t *testing.T, r reports.Report, c reports.Case) {
	t.Helper()
	switch broken := c.BrokenLevel(); {
	case c.Verdict == reports.Pass:
	case c.Verdict == reports.NotApplicable, c.Verdict == reports.NotRun:
		t.Skip(c.Reason)
	case c.Verdict == reports.Fail && broken == "":
		t.Skipf("known to fail\n%s", reports.CaseText(r, c))
	case c.Verdict == reports.Fail && broken != targets.Must && !(r.About.Strict && broken == targets.Should):
		t.Skipf("a broken %s\n%s", broken, reports.CaseText(r, c))
	default:
		t.Errorf("\n%s", reports.CaseText(r, c))
	}
}

// run carries out the cases and gives the report.
func (o TestOptions) run(t *testing.T) (reports.Report, error) {
	address, err := serve(t, o.Handler)
	if err != nil {
		return reports.Report{}, err
	}
	e, err := o.open(address)
	if err != nil {
		return reports.Report{}, err
	}
	cases, err := o.cases(e.Target)
	if err != nil {
		return reports.Report{}, err
	}
	id := make([]byte, 3)
	if _, err := rand.Read(id); err != nil {
		return reports.Report{}, fmt.Errorf("name the run: %w", err)
	}
	folder := reports.NewFolder()
	sinks := []reports.Sink{folder}
	if o.Events != nil {
		sinks = append(sinks, reports.NDJSON(o.Events))
	}
	stream := reports.NewStream(hex.EncodeToString(id), "", nil, sinks...)
	stream.Redact(e.Target.Secrets.Redact)
	err = Run(t.Context(), Options{
		Features: features.FS, Paths: features.Paths(), Cases: cases, Endpoint: e, Stream: stream, Folder: folder,
		RunID: hex.EncodeToString(id), Now: time.Now, Random: rand.Reader, Concurrency: 4, CaseTimeout: time.Minute, Wait: Rest,
		Started: reports.RunStarted{Tool: "idemcheck in go test", Target: e.Target.Name, TargetFile: o.File, About: e.About,
			URL: e.Target.Secrets.RedactURL(e.URL), Profile: e.Target.Profile.Name, Strict: o.Strict},
	})
	return folder.Report(), errors.Join(err, e.Close())
}

// open reads the target and makes ready to send to it.
func (o TestOptions) open(address string) (*targets.Endpoint, error) {
	lookup := func(name string) (string, bool) {
		if name == URLVariable && address != "" {
			return address, true
		}
		return os.LookupEnv(name)
	}
	var target *targets.Target
	var err error
	switch {
	case (o.File == "") == (o.YAML == ""):
		return nil, errors.New("say what the target is: either File or YAML")
	case o.File != "":
		target, err = targets.Load(o.File, lookup)
	default:
		target, err = targets.Parse("target.yaml", []byte(o.YAML), lookup)
	}
	if err != nil {
		return nil, err
	}
	if err := target.CheckRemote(false); err != nil {
		return nil, err
	}
	if address != "" {
		target.URL = address
	}
	return targets.OpenURL(target)
}

// cases plans the built-in cases and selects among them.
func (o TestOptions) cases(target *targets.Target) ([]Case, error) {
	all, err := Plan(features.FS, features.Paths(), "")
	if err != nil {
		return nil, fmt.Errorf("plan the cases: %w", err)
	}
	if err := CheckKnown(target, all); err != nil {
		return nil, err
	}
	cases, err := Select(all, o.Only, o.Skip)
	if err == nil && len(cases) == 0 {
		err = fmt.Errorf("no case is selected (only %s, skip %s)", strings.Join(o.Only, ", "), strings.Join(o.Skip, ", "))
	}
	return cases, err
}

// serve serves the handler on this machine until the test ends, and gives its address; none without a handler.
func serve(t *testing.T, h http.Handler) (string, error) {
	if h == nil {
		return "", nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("serve the handler: %w", err)
	}
	s := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l) // it ends with Close
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-done
	})
	return "http://" + l.Addr().String(), nil
}

// Rest pauses for d, or ends early with the context, whose cause it gives then. It is what Options.Wait mostly is.
func Rest(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
