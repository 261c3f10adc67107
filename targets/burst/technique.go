package burst

// Technique is how the requests of a burst are withheld and released. The empty one is chosen from what the target
// speaks.
type Technique string

// The techniques. A gate is the byte that is withheld until the release. The single write is the single-packet attack of
// James Kettle (PortSwigger, "Smashing the state machine", 2023); the gates of HTTP/1.1 are last-byte synchronisation.
const (
	// HTTP1BodyGate withholds the last body byte of each request, on a connection each. Handlers that start when the
	// header is complete are already inside.
	HTTP1BodyGate Technique = "http1-body-gate"
	// HTTP1HeaderGate withholds the last byte of each header block, and the body with it, on a connection each.
	HTTP1HeaderGate Technique = "http1-header-gate"
	// HTTP2SingleWrite withholds the last DATA frame of each stream, of one byte, and writes all of them at once on one
	// connection: what jitter the network has, they have in common.
	HTTP2SingleWrite Technique = "http2-single-write"
	// HTTP2Burst writes all requests, whole, at once on one connection.
	HTTP2Burst Technique = "http2-burst"
	// Plain writes whole HTTP/1.1 requests from a goroutine and on a connection each, as load tools do: for comparison.
	Plain Technique = "plain"
	// Mixed stands in a Burst whose requests went by several of the others; it cannot be asked for.
	Mixed Technique = "mixed"
)

// words are for the report, one line each.
var words = map[Technique]string{
	HTTP1BodyGate:    "HTTP/1.1, a connection for each request, last body byte withheld",
	HTTP1HeaderGate:  "HTTP/1.1, a connection for each request, last header byte withheld",
	HTTP2SingleWrite: "HTTP/2, last frames of all requests in one write",
	HTTP2Burst:       "HTTP/2, all requests in one write",
	Plain:            "HTTP/1.1, a connection for each request, nothing withheld",
	Mixed:            "several techniques",
}

// Techniques are those that can be asked for.
func Techniques() []Technique {
	return []Technique{HTTP1BodyGate, HTTP1HeaderGate, HTTP2SingleWrite, HTTP2Burst, Plain}
}

// Words is the technique as the report names it, in one line.
func (t Technique) Words() string { return words[t] }

// http2 reports whether the requests share connections.
func (t Technique) http2() bool { return t == HTTP2SingleWrite || t == HTTP2Burst }

// gatesBody reports whether only a request with a body has what is withheld.
func (t Technique) gatesBody() bool { return t == HTTP1BodyGate || t == HTTP2SingleWrite }
