// Command orders is an orders API on PostgreSQL, to try idemcheck's crash points on. It comes in three variants, which
// answer alike as long as nobody crashes:
//
//   - sound: the claim of the key, the order and the stored answer are one transaction
//   - two-transactions: the order is committed first, and the key with the answer in a second transaction. A crash
//     between the two leaves an order that no key knows, and the retry makes another one
//   - stuck-in-progress: an in-progress claim is committed first, then order and answer in a second transaction. A crash
//     between the two leaves a claim that nobody ever takes over, and each retry is told to come back later
//
// All that keeps requests apart is in the database, so that several instances may run on the same one. To bound what a
// dead machine can hold up, add idle_in_transaction_session_timeout (in milliseconds) to the address of the database.
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
	"sync"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "orders:", err)
		os.Exit(1)
	}
}

// options are what a user can say.
type options struct {
	addr       string
	dsn        string
	schema     string
	variant    string
	pool       int
	detached   bool
	background bool
}

// parse reads flags, whose defaults come from the environment.
func parse(args []string, getenv func(string) string, out io.Writer) (options, error) {
	env := func(name, otherwise string) string {
		if v := getenv(name); v != "" {
			return v
		}
		return otherwise
	}
	var o options
	flags := flag.NewFlagSet("orders", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.addr, "addr", env("ADDR", "127.0.0.1:8080"), "address to listen on (ADDR)")
	flags.StringVar(&o.dsn, "database", env("DATABASE_URL", ""), "address of the database (DATABASE_URL)")
	flags.StringVar(&o.schema, "schema", env("SCHEMA", ""), "schema of the tables, made when there is none (SCHEMA)")
	flags.StringVar(&o.variant, "variant", env("VARIANT", "sound"), "sound, two-transactions or stuck-in-progress (VARIANT)")
	flags.IntVar(&o.pool, "pool", 4, "database connections at most (POOL)")
	flags.BoolVar(&o.detached, "detached", false, "go on with a create when its client hangs up (DETACHED)")
	flags.BoolVar(&o.background, "background", false, "query all the time on other connections, as jobs do (BACKGROUND)")
	for name, variable := range map[string]string{"pool": "POOL", "detached": "DETACHED", "background": "BACKGROUND"} {
		if v := getenv(variable); v != "" {
			if err := flags.Set(name, v); err != nil {
				return o, fmt.Errorf("read %s: %w", variable, err)
			}
		}
	}
	return o, flags.Parse(args)
}

// run serves until the context ends.
func run(ctx context.Context, args []string, getenv func(string) string, out io.Writer) error {
	o, err := parse(args, getenv, out)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := newServer(o)
	if err != nil {
		return err
	}
	defer s.store.close()
	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	fmt.Fprintf(out, "orders (%s) listens on http://%s\n", o.variant, listener.Addr())
	ctx, stop := context.WithCancel(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer stop()
	working.Go(func() { s.work(ctx, out) })
	return serve(ctx, listener, s.routes())
}

// work makes the tables and then, where it is told to, queries in the background.
func (s *server) work(ctx context.Context, out io.Writer) {
	if err := s.prepare(ctx, out); err != nil || !s.background {
		return
	}
	s.store.background(ctx)
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
