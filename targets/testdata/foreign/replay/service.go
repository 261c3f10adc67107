package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// service is an instance of the order service.
type service struct {
	bin, middleware string
	addr, folder    string
	cmd             *exec.Cmd
}

// place is where records are counted.
type place struct{ kind, namespace string }

func (p place) String() string { return strings.TrimSpace(p.kind + " " + p.namespace) }

func (s *service) url() string { return "http://" + s.addr }

// begin starts a fresh instance.
func (s *service) begin(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.addr = l.Addr().String()
	l.Close()
	if s.folder, err = os.MkdirTemp("", "foreign"); err != nil {
		return err
	}
	return s.start(ctx)
}

func (s *service) start(ctx context.Context) error {
	s.cmd = exec.CommandContext(ctx, s.bin, "-middleware", s.middleware, "-addr", s.addr, "-data", s.folder)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start the service: %w", err)
	}
	for range 200 {
		if answer, err := http.Get(s.url() + "/healthz"); err == nil {
			answer.Body.Close()
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("the service does not answer at %s", s.url())
}

func (s *service) stop() {
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGTERM) // nginx is of its group
	_ = s.cmd.Wait()
}

func (s *service) restart(ctx context.Context) error {
	s.stop()
	return s.start(ctx)
}

func (s *service) end() {
	s.stop()
	_ = os.RemoveAll(s.folder)
}

// count asks curl for the list of a tenant's records. The instance is fresh: all of them are of this case.
func (s *service) count(ctx context.Context, at place) (int, error) {
	tenant := map[string]string{"": "one", "other_tenant": "two"}[at.namespace]
	_, body, err := curl(ctx, fmt.Sprintf("curl -sS -i -H 'Tenant: %s' %s/%s", tenant, s.url(), at.kind))
	return strings.Count(body, `"id":`), err
}
