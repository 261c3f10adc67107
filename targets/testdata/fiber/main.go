// Command fiber is an order service that leaves its idempotency keys to the middleware which Fiber ships. It is a target
// of idemcheck that idemcheck's authors did not write: see README.md for what the middleware does, tried by hand.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os/signal"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v3"
)

// flags are what the command line says.
type flags struct {
	addr   string
	data   string
	work   time.Duration
	errors string
	lock   bool
}

func main() {
	var f flags
	flag.StringVar(&f.addr, "addr", "127.0.0.1:8080", "address to listen on")
	flag.StringVar(&f.data, "data", "", "file that keeps the records over a restart (default: they are kept in memory)")
	flag.DurationVar(&f.work, "work", 5*time.Millisecond, "how long a write takes")
	flag.StringVar(&f.errors, "errors", errorsReturned, "how a handler says that it fails: returned (as an error) or written (as a response)")
	flag.BoolVar(&f.lock, "lock", true, "false takes the middleware's lock away, to see that overlapping requests are then found out")
	flag.Parse()
	if err := serve(f); err != nil {
		log.Fatal(err)
	}
}

func serve(f flags) error {
	if f.errors != errorsReturned && f.errors != errorsWritten {
		return fmt.Errorf("-errors is %q; it is %s or %s", f.errors, errorsReturned, errorsWritten)
	}
	s, err := openStore(f.data)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", f.addr, err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	fmt.Printf("listening on http://%s\n", l.Addr())
	app := newApp(&service{store: s, work: f.work, errors: f.errors}, middleware(f.lock))
	return app.Listener(l, fiber.ListenConfig{
		DisableStartupMessage: true, GracefulContext: ctx, ShutdownTimeout: time.Second,
	})
}
