package observe

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"time"
)

const (
	slowestHeader = 10 * time.Second // a caller's time for its header
	slowestCall   = time.Minute      // and for all of it
	maxHeader     = 64 << 10         // bytes
)

// serveHTTP answers every call 200 without content and keeps it. It gives what ends the listener.
func (s *sink) serveHTTP(l net.Listener) (stop func() error) {
	server := &http.Server{
		Handler:           http.HandlerFunc(s.call),
		ReadHeaderTimeout: slowestHeader,
		ReadTimeout:       slowestCall,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	return stopOnce(func() error {
		err := errors.Join(server.Close(), <-done)
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	})
}

func (s *sink) call(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxMessage+1))
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body) // an answer before the end would break a caller that still writes
	}
	if err != nil {
		return // the caller hung up in the middle: there was no call
	}
	m := message{header: textproto.MIMEHeader(r.Header), body: body}
	if len(body) > maxMessage {
		m.body, m.cut = body[:maxMessage], true
	}
	m.size = len(m.body) + len(r.RequestURI)
	m.texts = []string{string(m.body), r.RequestURI}
	// Forms and queries escape what is not a letter or digit.
	for _, t := range m.texts {
		if plain, err := url.QueryUnescape(t); err == nil {
			m.texts = append(m.texts, plain)
		}
	}
	s.keep(m)
	w.WriteHeader(http.StatusOK)
}
