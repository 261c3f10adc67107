// Command foreign is a small order service whose idempotency is left to something that idemcheck's authors did not
// write; -middleware says to what. README.md says what each of them does, tried by hand.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"net"
	"net/http"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// guards are the foreign parts, each around the order service.
var guards = map[string]func(*service) (http.Handler, error){
	"none":      unguarded,
	"moov":      moov,
	"gin-cache": ginCache,
	"watermill": watermillReceiver,
	// nginx is a process of its own, in front of the service.
	"nginx":         unguarded,
	"nginx-patient": unguarded,
}

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "address to listen on")
	data := flag.String("data", "", "folder that keeps the records over a restart (default: they are kept in memory)")
	work := flag.Duration("work", 5*time.Millisecond, "how long a write takes")
	name := flag.String("middleware", "none", "what keeps the keys: "+strings.Join(slices.Sorted(maps.Keys(guards)), ", "))
	flag.Parse()
	if err := serve(*addr, *data, *name, *work); err != nil {
		log.Fatal(err)
	}
}

func serve(addr, data, name string, work time.Duration) error {
	guard := guards[name]
	if guard == nil {
		return fmt.Errorf("there is no middleware %q", name)
	}
	st, err := openStore(data)
	if err != nil {
		return err
	}
	handler, err := guard(&service{store: st, work: work})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	public := addr
	abort, withNginx := nginxes[name]
	if withNginx {
		addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", addr, err)
	}
	if withNginx {
		wait, err := startNginx(ctx, public, l.Addr().String(), data, abort)
		if err != nil {
			return err
		}
		defer wait()
	}
	fmt.Printf("listening on http://%s\n", public)
	return listen(ctx, l, handler)
}

// listen serves until it is told to end, and then lets what runs come to its end.
func listen(ctx context.Context, l net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
