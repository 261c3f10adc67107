package targets

import (
	"bufio"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"
)

// answer is what came back of one request. Its error says why it is not whole; what came before that stands beside it.
type answer struct {
	first   time.Time
	proto   string
	status  int
	header  http.Header
	content []byte
	size    int64
	cut     bool
	err     error
}

// answerReader reads the answer to one request. Everything that it reads is taken as hostile: header and body are
// capped, and the time is the connection's.
type answerReader struct {
	method  string
	maxBody int64
	now     func() time.Time
	arrived func(time.Time) // called at the first byte; nil: not
	begun   func()          // called when the answer begins that is not an interim one; nil: not
}

// onlyOnce makes a function one that is called once. It may be nil.
func onlyOnce(f func()) func() {
	if f == nil {
		return nil
	}
	return sync.OnceFunc(f)
}

// begins says that the answer begins.
func (r answerReader) begins() {
	if r.begun != nil {
		r.begun()
	}
}

// read reads an HTTP/1.1 answer, past interim ones (1xx).
func (r answerReader) read(conn io.Reader) answer {
	a, res := r.head(conn)
	if a.err == nil {
		r.take(&a, res)
	}
	return a
}

// halve reads an HTTP/1.1 answer as far as half of its body.
func (r answerReader) halve(conn io.Reader) answer {
	a, res := r.head(conn)
	if a.err == nil {
		a.err = r.half(res)
	}
	return a
}

// head reads as far as the end of the header.
func (r answerReader) head(conn io.Reader) (answer, *http.Response) {
	source, a := r.begin(conn)
	if a.err != nil {
		return a, nil
	}
	likely := source.begins("HTTP/")
	res, err := r.final(source)
	if err != nil {
		if likely && source.budget.err != nil {
			err = source.budget.err // whatever is malformed is only unfinished
		}
		a.err = err
		return a, nil
	}
	source.budget.left = math.MaxInt64
	return a, res
}

// half reads the first half of a body whose length is known, and one byte of any other.
func (r answerReader) half(res *http.Response) error {
	if res.Body == http.NoBody {
		return nil
	}
	n := max(1, min(res.ContentLength/2, r.maxBody))
	if _, err := io.CopyN(io.Discard, res.Body, n); err != nil && err != io.EOF {
		return err
	}
	return nil // EOF: a body without a length that turns out to be empty
}

// await reads as far as the first byte of the answer that is not an interim one.
func (r answerReader) await(conn io.Reader) answer {
	source, a := r.begin(conn)
	for a.err == nil {
		r.notice(source)
		if _, err := source.Peek(len(interim)); err != nil || !source.interim() {
			break
		}
		_, a.err = http.ReadResponse(source.Reader, &http.Request{Method: r.method})
	}
	return a
}

// begin waits for the first byte.
func (r answerReader) begin(conn io.Reader) (*answerSource, answer) {
	source := newAnswerSource(conn)
	if _, err := source.Peek(1); err != nil {
		return source, answer{err: err}
	}
	first := r.now()
	if r.arrived != nil {
		r.arrived(first)
	}
	return source, answer{first: first, proto: protoHTTP1}
}

// notice waits for a first byte and says so, unless what has come with it is an interim answer.
func (r answerReader) notice(source *answerSource) {
	if _, err := source.Peek(1); err == nil && !source.interim() {
		r.begins()
	}
}

// final reads headers until there is one that is not interim. All of them together share one budget.
func (r answerReader) final(source *answerSource) (*http.Response, error) {
	for {
		r.notice(source)
		res, err := http.ReadResponse(source.Reader, &http.Request{Method: r.method})
		switch {
		case err != nil && source.budget.left <= 0:
			return nil, failure(FailureProtocol, "the header of the answer is longer than %d bytes", maxAnswerHeader)
		case err != nil:
			return nil, err
		case res.StatusCode < 100:
			return nil, failure(FailureProtocol, "the answer has the status %d", res.StatusCode)
		case res.StatusCode >= 200 || res.StatusCode == http.StatusSwitchingProtocols:
			r.begins() // at the latest: 101 looks like an interim answer and is none
			return res, nil
		}
	}
}

// take reads the body of an answer whose header is there.
func (r answerReader) take(a *answer, res *http.Response) {
	a.proto, a.status, a.header = res.Proto, res.StatusCode, res.Header
	raw := &rawBody{r: res.Body, left: r.maxBody + 1}
	a.content, a.err = io.ReadAll(io.LimitReader(decoded(res.Header, raw), r.maxBody+1))
	a.size = int64(len(a.content))
	if a.size > r.maxBody || raw.left <= 0 {
		a.content, a.cut, a.err = a.content[:min(a.size, r.maxBody)], true, nil
		return
	}
	if raw.err != nil {
		a.err = raw.err // the cause of whatever the decoder says
	} else if a.err != nil {
		a.err = failure(FailureProtocol, "the body of the answer is not what its Content-Encoding says")
	}
	a.cut = a.err != nil
}

// answerSource is a buffered connection with a budget for headers.
type answerSource struct {
	*bufio.Reader
	budget *budget
}

func newAnswerSource(conn io.Reader) *answerSource {
	b := &budget{r: conn, left: maxAnswerHeader}
	return &answerSource{Reader: bufio.NewReader(b), budget: b}
}

// begins reports whether what has arrived so far may be the beginning of a text.
func (s *answerSource) begins(text string) bool {
	start, _ := s.Peek(min(s.Buffered(), len(text)))
	return strings.HasPrefix(text, string(start))
}

// interim is how an interim answer begins.
const interim = "HTTP/1.1 1"

// interim reports whether what has arrived so far is the beginning of an interim answer. Nothing is read for it.
func (s *answerSource) interim() bool {
	start, _ := s.Peek(min(s.Buffered(), len(interim)))
	return len(start) == len(interim) && start[len(start)-2] == ' ' && start[len(start)-1] == '1'
}

// errBudget ends a header that does not end by itself.
var errBudget = errors.New("the header is too long")

// budget is a reader with a limit that can be lifted. It remembers why the connection ended.
type budget struct {
	r    io.Reader
	left int64
	err  error
}

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errBudget
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil {
		b.err = err
	}
	return n, err
}

// rawBody reads a body as it came, up to a limit, and remembers why it ended.
type rawBody struct {
	r    io.Reader
	left int64
	err  error
}

func (b *rawBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, io.EOF
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}
