package burst_test

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"time"
)

// The jitter of the proxy, for each chunk of a connection and direction: 5 ± 3 ms, evenly spread.
const (
	jitterLow  = 2 * time.Millisecond
	jitterHigh = 8 * time.Millisecond
)

// runProxy passes connections on to the target until standard input ends, late.
func runProxy() {
	var to addresses
	in := json.NewDecoder(os.Stdin)
	if in.Decode(&to) != nil {
		return
	}
	says := addresses{URLs: map[string]string{}, Cert: to.Cert}
	for name, target := range to.URLs {
		u, _ := url.Parse(target)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return
		}
		go accept(l, u.Host)
		u.Host = l.Addr().String()
		says.URLs[name] = u.String()
	}
	json.NewEncoder(os.Stdout).Encode(says)
	io.Copy(io.Discard, os.Stdin)
}

func accept(l net.Listener, to string) {
	for {
		from, err := l.Accept()
		if err != nil {
			return
		}
		next, err := net.Dial("tcp", to)
		if err != nil {
			from.Close()
			continue
		}
		go late(next, from)
		go late(from, next)
	}
}

// chunk is what was read at once, and when it goes on.
type chunk struct {
	bytes []byte
	at    time.Time
}

// late passes on what it reads, in order, each chunk after a delay of its own.
func late(to, from net.Conn) {
	chunks := make(chan chunk, 1024)
	go func() {
		defer close(chunks)
		for {
			b := make([]byte, 64<<10)
			n, err := from.Read(b)
			if err != nil {
				return
			}
			delay := jitterLow + rand.N(jitterHigh-jitterLow)
			chunks <- chunk{b[:n], time.Now().Add(delay)}
		}
	}()
	for c := range chunks {
		time.Sleep(time.Until(c.at))
		to.Write(c.bytes)
	}
	to.Close()
}
