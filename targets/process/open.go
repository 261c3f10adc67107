package process

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Open starts the target of a `run.process` section and gives its endpoint: it can be killed and restarted. {{port}}
// is a free port that stays the same, {{dir}} a folder that lives as long as the endpoint; both may stand in the
// command, in the environment and in the target's own URL, which is http://127.0.0.1:{{port}} where the file names
// none. The command runs in the folder of the target file, or in `dir` below it. The context bounds the start only.
//
// On an error everything is undone already. The error may hold what the target has printed, without secrets.
func Open(ctx context.Context, t *targets.Target) (*targets.Endpoint, error) {
	sweptOnce()
	return openIn(ctx, t, nil)
}

// openIn is Open with a folder that is there already; nil: one of its own.
func openIn(ctx context.Context, t *targets.Target, folder *Folder) (*targets.Endpoint, error) {
	for try := 1; ; try++ {
		e := &targets.Endpoint{Target: t}
		port, err := open(ctx, t, e, folder)
		if err == nil {
			return e, nil
		}
		e.Close()
		// Between the choice of a port and the start of the target another program may have taken it.
		if try == maxTries || ctx.Err() != nil || port == 0 || targets.PortIsFree("127.0.0.1", port) {
			return nil, &openError{words: t.Secrets.Redact(fmt.Sprintf("open %s: %s", t.Name, err)), err: err}
		}
	}
}

// maxTries bounds how often another port is tried.
const maxTries = 3

// openError is an error whose words are without secrets.
type openError struct {
	words string
	err   error
}

func (e *openError) Error() string { return e.words }

func (e *openError) Unwrap() error { return e.err }

// open fills in the endpoint, with whatever must be undone, and gives the port that it chose.
func open(ctx context.Context, t *targets.Target, e *targets.Endpoint, folder *Folder) (port int, err error) {
	if folder == nil {
		if folder, err = ownFolder(e); err != nil {
			return 0, err
		}
	}
	if port, err = targets.FreePort("127.0.0.1"); err != nil {
		return 0, err
	}
	return port, start(ctx, t, e, targets.Vars{"port": strconv.Itoa(port), "dir": folder.Path}, folder)
}

// start starts the target and fills in what can be done to it.
func start(ctx context.Context, t *targets.Target, e *targets.Endpoint, vars targets.Vars, folder *Folder) (err error) {
	if e.URL, err = baseURL(t.URL, vars); err != nil {
		return err
	}
	options, err := targets.SenderOptionsFor(t, e.URL)
	if err != nil {
		return err
	}
	e.Sender, e.Replicas, e.Loopback = targets.NewSender(options), t.Replicas, loopback(e.URL)
	spec, err := specOf(t, e.URL, vars, options)
	if err != nil {
		return err
	}
	if err := standBefore(ctx, t, e, &spec); err != nil {
		return err
	}
	spec.folder, spec.Env = folder, append(spec.Env, folder.variable())
	p, err := Start(ctx, spec)
	if err != nil {
		return err
	}
	e.OnClose(func() error { return p.Stop(context.WithoutCancel(ctx)) })
	e.About = fmt.Sprintf("child process %d", p.PID())
	e.Kill, e.Restart = p.Kill, p.Restart
	offerPoints(t, e, folder)
	e.Logs = func() string { return t.Secrets.Redact(p.Logs()) }
	return nil
}

// ownFolder makes a folder that lives as long as the endpoint.
func ownFolder(e *targets.Endpoint) (*Folder, error) {
	folder, err := OwnFolder(folderPrefix)
	if err != nil {
		return nil, err
	}
	e.OnClose(folder.Remove)
	return folder, nil
}

// baseURL is where the target will be.
func baseURL(written string, vars targets.Vars) (string, error) {
	if written == "" {
		written = "http://127.0.0.1:{{port}}"
	}
	base, err := targets.Expand(written, vars)
	if err != nil {
		return "", fmt.Errorf("url: %w", err)
	}
	return strings.TrimRight(base, "/"), nil
}

// specOf expands the section.
func specOf(t *targets.Target, base string, vars targets.Vars, options targets.SenderOptions) (Spec, error) {
	section := t.Run.Process
	spec := Spec{Dir: section.Dir, ReadyTimeout: section.ReadyWithin.Std()}
	if !filepath.IsAbs(spec.Dir) {
		spec.Dir = filepath.Join(filepath.Dir(t.File), spec.Dir)
	}
	for _, word := range section.Command {
		expanded, err := targets.Expand(word, vars)
		if err != nil {
			return Spec{}, fmt.Errorf("run.process.command: %w", err)
		}
		spec.Command = append(spec.Command, expanded)
	}
	for _, name := range slices.Sorted(maps.Keys(section.Env)) {
		expanded, err := targets.Expand(section.Env[name], vars)
		if err != nil {
			return Spec{}, fmt.Errorf("run.process.env.%s: %w", name, err)
		}
		spec.Env = append(spec.Env, name+"="+expanded)
	}
	options.Rate = 0 // asking whether it is ready is no part of the run
	var err error
	spec.Ready, err = targets.Answers(targets.NewSender(options), base, section.Ready)
	return spec, err
}

// loopback reports whether a base URL stays on this machine.
func loopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}
