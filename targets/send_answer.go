package targets

import (
	"bufio"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
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
}

// read reads an HTTP/1.1 answer, past interim ones (1xx).
func (r answerReader) read(conn io.Reader) answer {
	source, a := r.begin(conn)
	if a.err != nil {
		return a
	}
	likely := source.begins("HTTP/")
	res, err := r.final(source)
	if err != nil {
		if likely && source.budget.err != nil {
			err = source.budget.err // whatever is malformed is only unfinished
		}
		a.err = err
		return a
	}
	source.budget.left = math.MaxInt64
	r.take(&a, res)
	return a
}

// await reads as far as the first byte of the answer that is not an interim one.
func (r answerReader) await(conn io.Reader) answer {
	source, a := r.begin(conn)
	for a.err == nil {
		start, err := source.Peek(len("HTTP/1.1 1"))
		if err != nil || start[len(start)-2] != ' ' || start[len(start)-1] != '1' {
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

// final reads headers until there is one that is not interim. All of them together share one budget.
func (r answerReader) final(source *answerSource) (*http.Response, error) {
	for {
		res, err := http.ReadResponse(source.Reader, &http.Request{Method: r.method})
		switch {
		case err != nil && source.budget.left <= 0:
			return nil, failure(FailureProtocol, "the header of the answer is longer than %d bytes", maxAnswerHeader)
		case err != nil:
			return nil, err
		case res.StatusCode < 100:
			return nil, failure(FailureProtocol, "the answer has the status %d", res.StatusCode)
		case res.StatusCode >= 200 || res.StatusCode == http.StatusSwitchingProtocols:
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
