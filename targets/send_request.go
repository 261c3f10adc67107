package targets

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// userAgent is sent where the attempt names none: some gateways refuse requests without one.
const userAgent = "idemcheck"

// outgoing is an attempt that can be put on the wire.
type outgoing struct {
	method string
	url    *url.URL // its query is fit for a request line
	host   string   // of the Host header, or :authority
	header http.Header
	body   []byte
	// chunked sends the body in a chunk of unsaid length (RFC 9112 section 7.1): the attempt asks for it by its
	// Transfer-Encoding. HTTP/2 has no chunks; there it leaves out the length only.
	chunked bool
	// keep does not ask the target to close the connection: another request follows, or the end of the connection shall
	// not cost the target anything while requests on other ones are still arriving.
	keep  bool
	fault FaultKind
	begun func() // see Attempt.OnFirstByte; may be nil
}

// newOutgoing checks an attempt. Only requests to an allowed host pass.
func newOutgoing(a Attempt, hosts hostSet) (*outgoing, error) {
	u, err := url.Parse(a.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return nil, failure(FailureNotSent, "the address is not an absolute http or https URL")
	}
	if !hosts.allow(u) {
		return nil, failure(FailureNotSent, "%s is not among the hosts of the target", u.Host)
	}
	if !httpguts.ValidHeaderFieldName(a.Method) {
		return nil, failure(FailureNotSent, "%q is not a method", a.Method)
	}
	if _, cut := a.Fault.cut(0); cut && len(a.Body) == 0 {
		return nil, failure(FailureNotSent, "%s needs a request with a body", a.Fault)
	}
	u.RawQuery = strings.ReplaceAll(u.RawQuery, " ", "%20")
	header, err := outgoingHeader(a.Header, u)
	if err != nil {
		return nil, err
	}
	r := &outgoing{method: a.Method, url: u, host: u.Host, header: header, body: a.Body, fault: a.Fault, begun: a.OnFirstByte}
	r.chunked = strings.EqualFold(a.Header.Get("Transfer-Encoding"), "chunked")
	return r, r.chooseHost(a.Header.Get("Host"))
}

// chooseHost settles the Host header: the attempt's own, else the host of the URL.
func (r *outgoing) chooseHost(own string) error {
	if own != "" {
		r.host = own
	}
	host, err := httpguts.PunycodeHostPort(r.host)
	if err != nil || !httpguts.ValidHostHeader(host) {
		return failure(FailureNotSent, "%q is not a host", r.host)
	}
	r.host = host
	return nil
}

// framing are the headers that say how the request is sent. They are the sender's own: an attempt that brings them
// (from a copied curl command) does not change what is sent, except that it may ask for chunks.
var framing = []string{"Host", "Content-Length", "Transfer-Encoding", "Expect", "Trailer"}

// outgoingHeader copies the header of an attempt, without framing and with what is always sent.
func outgoingHeader(given http.Header, u *url.URL) (http.Header, error) {
	h := make(http.Header, len(given)+1)
	for name, values := range given {
		if slices.Contains(framing, http.CanonicalHeaderKey(name)) {
			continue
		}
		if !httpguts.ValidHeaderFieldName(name) {
			return nil, failure(FailureNotSent, "%q is not a header name", name)
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return nil, failure(FailureNotSent, "the value of header %s has a character that no header may have", name)
			}
		}
		h[name] = values
	}
	if _, set := given["User-Agent"]; !set {
		h["User-Agent"] = []string{userAgent}
	}
	if _, set := given["Authorization"]; !set && u.User != nil {
		h["Authorization"] = []string{basicAuth(u.User)}
	}
	return h, nil
}

// basicAuth is the credential in a URL as a header value (RFC 7617).
func basicAuth(user *url.Userinfo) string {
	password, _ := user.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password))
}

// hasLength reports whether the request says how long its body is. A request without a body says so where its method
// usually has one (RFC 9110 section 8.6).
func (r *outgoing) hasLength() bool {
	return !r.chunked && r.hasBody()
}

func (r *outgoing) hasBody() bool {
	return len(r.body) > 0 || r.method == http.MethodPost || r.method == http.MethodPut || r.method == http.MethodPatch
}

// payload is the body as HTTP/1.1 writes it.
func (r *outgoing) payload() []byte {
	switch {
	case !r.chunked:
		return r.body
	case len(r.body) == 0:
		return []byte("0\r\n\r\n")
	}
	return fmt.Appendf(nil, "%x\r\n%s\r\n0\r\n\r\n", len(r.body), r.body)
}

// head is the request line and the header block of the request in HTTP/1.1, its empty line included. It says that the
// connection will be closed, because it will: no second request follows.
func (r *outgoing) head(l *link) []byte {
	var b bytes.Buffer
	target := r.url.RequestURI()
	if l.proxied {
		target = "http://" + r.url.Host + target
	}
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", r.method, target, r.host)
	if l.proxyAuth != "" {
		line(&b, "Proxy-Authorization", l.proxyAuth)
	}
	for _, name := range sortedNames(r.header) {
		for _, v := range r.header[name] {
			line(&b, name, v)
		}
	}
	if r.chunked {
		line(&b, "Transfer-Encoding", "chunked")
	}
	if r.hasLength() {
		line(&b, "Content-Length", strconv.Itoa(len(r.body)))
	}
	if _, set := r.header["Connection"]; !set && !r.keep {
		line(&b, "Connection", "close")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

func sortedNames(h http.Header) []string { return slices.Sorted(maps.Keys(h)) }

// line writes one header line.
func line(b *bytes.Buffer, name, value string) {
	b.WriteString(name)
	b.WriteString(": ")
	b.WriteString(value)
	b.WriteString("\r\n")
}

// address is where a URL's host is dialled.
func address(u *url.URL) string {
	return net.JoinHostPort(u.Hostname(), portOf(u))
}

// portOf is the port of a URL, written or implied.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
