package targets

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"slices"
	"strings"
)

// maxCodings bounds how many codings of one body are undone, so that a list of hundreds cannot multiply its size.
const maxCodings = 2

// decoded undoes the Content-Encoding of a body. The sender never asks for one by itself; an attempt may. A coding that
// it does not know leaves the body as it came, and the header says so.
func decoded(h http.Header, body io.Reader) io.Reader {
	codings := strings.Split(strings.ToLower(strings.Join(h.Values("Content-Encoding"), ",")), ",")
	if len(codings) > maxCodings {
		return body
	}
	for _, coding := range slices.Backward(codings) {
		switch strings.TrimSpace(coding) {
		case "", "identity":
		case "gzip", "x-gzip":
			body = &lazyReader{from: bufio.NewReader(body), open: openGzip}
		case "deflate":
			body = &lazyReader{from: bufio.NewReader(body), open: openDeflate}
		default:
			return body
		}
	}
	return body
}

// lazyReader opens a decoder at the first read, and lets an empty body (an answer to HEAD, a 204) be empty.
type lazyReader struct {
	from *bufio.Reader
	open func(*bufio.Reader) (io.Reader, error)
	r    io.Reader
}

func (l *lazyReader) Read(p []byte) (int, error) {
	if l.r == nil {
		if _, err := l.from.Peek(1); err != nil {
			return 0, err
		}
		r, err := l.open(l.from)
		if err != nil {
			return 0, err
		}
		l.r = r
	}
	return l.r.Read(p)
}

func openGzip(from *bufio.Reader) (io.Reader, error) { return gzip.NewReader(from) }

// openDeflate takes both of what is sent under this name: zlib (RFC 9110 section 8.4.1.2) and, against it, bare
// deflate. A zlib header is a multiple of 31 whose low four bits are 8.
func openDeflate(from *bufio.Reader) (io.Reader, error) {
	start, err := from.Peek(2)
	if err == nil && start[0]&0x0f == 8 && (int(start[0])<<8|int(start[1]))%31 == 0 {
		return zlib.NewReader(from)
	}
	return flate.NewReader(from), nil
}
