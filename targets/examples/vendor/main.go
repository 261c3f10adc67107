// Command vendor stands for a vendor that documents nothing about its idempotency keys: a small orders API in memory,
// to try `idemcheck verify` on. It takes any bearer token. Each mode keeps or breaks the promise in its own way; see the
// table of modes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "vendor:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("vendor", flag.ContinueOnError)
	flags.SetOutput(out)
	addr := flags.String("addr", "127.0.0.1:8090", "address to listen on; port 0 picks a free one")
	name := flags.String("mode", "honours", "one of: "+strings.Join(modeNames(), ", "))
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	m, known := modes()[*name]
	if !known {
		return fmt.Errorf("there is no mode %q (there are: %s)", *name, strings.Join(modeNames(), ", "))
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	fmt.Fprintf(out, "vendor (%s) listens on http://%s\n", *name, listener.Addr())
	return serve(ctx, listener, newServer(m, time.Now).routes())
}

// serve ends politely: requests that are being answered are.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := srv.Shutdown(patience); err != nil {
		return fmt.Errorf("shut down: %w", err)
	}
	return nil
}
