package observe

import (
	"errors"
	"io"
	"log"
	"net"
	"sync"

	"github.com/emersion/go-smtp"
)

// serveSMTP takes every mail from and to anyone and keeps it. It gives what ends the listener.
func (s *sink) serveSMTP(l net.Listener) (stop func() error) {
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return session{s}, nil }))
	server.Domain = "localhost"
	server.ReadTimeout, server.WriteTimeout = slowestCall, slowestCall
	server.EnableSMTPUTF8 = true
	server.MaxLineLength = maxMessage // some targets write a whole page in one line
	server.ErrorLog = log.New(io.Discard, "", 0)
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	return stopOnce(func() error {
		// The listener is closed first: the server only closes what it has begun to serve.
		err := errors.Join(closing(l.Close()), closing(server.Close()))
		if served := <-done; err == nil {
			err = closing(served)
		}
		return err
	})
}

// session is one connection of a client.
type session struct{ sink *sink }

var _ smtp.Session = session{}

func (session) Reset()                               {}
func (session) Logout() error                        { return nil }
func (session) Mail(string, *smtp.MailOptions) error { return nil }
func (session) Rcpt(string, *smtp.RcptOptions) error { return nil }

// Data keeps one mail, however many recipients it has.
func (s session) Data(r io.Reader) error {
	raw, err := io.ReadAll(io.LimitReader(r, maxMessage+1))
	if err != nil {
		return err
	}
	cut := len(raw) > maxMessage
	if cut {
		raw = raw[:maxMessage]
		if _, err := io.Copy(io.Discard, r); err != nil {
			return err
		}
	}
	m := readMail(raw)
	m.cut = cut
	s.sink.keep(m)
	return nil
}

// closing takes away the error that says that a listener is closed, which was the purpose.
func closing(err error) error {
	if errors.Is(err, net.ErrClosed) || errors.Is(err, smtp.ErrServerClosed) {
		return nil
	}
	return err
}

// stopOnce makes stop safe to call twice; the second call gives the first one's error.
func stopOnce(stop func() error) func() error { return sync.OnceValue(stop) }
