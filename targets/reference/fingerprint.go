package reference

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"

	"github.com/gowebpki/jcs"
)

// fingerprint tells whether two requests under one key are the same request.
// It is the SHA-256, in hex, of four lines: the method, the path, the query
// sorted by name, and the body in the canonical form of RFC 8785 (JCS). So
// spacing, member order and the spelling of numbers and escapes do not
// matter, and everything else does. Headers are left out: a client library
// adds some of its own to a retry. JCS reads numbers as IEEE 754 doubles, as
// JSON's interoperable profile does; whole numbers beyond 2^53 need a string.
func fingerprint(method, path, query string, canonical []byte) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n%s\n", method, path, query)
	sum.Write(canonical)
	return hex.EncodeToString(sum.Sum(nil))
}

// canonicalBody brings a JSON body into its canonical form; no body stays
// none. It refuses what is not JSON, and objects that name a member twice.
func canonicalBody(body []byte) ([]byte, error) {
	if len(body) == 0 {
		return nil, nil
	}
	canonical, err := jcs.Transform(body)
	if err != nil {
		return nil, problem{Status: 400, Code: "malformed", Detail: "The body is not JSON: " + err.Error() + "."}
	}
	return canonical, nil
}

// fingerprintOf takes the fingerprint of an attempt. A plain text stands for
// itself.
func (s *Server) fingerprintOf(r *http.Request, body []byte) (string, error) {
	canonical, query := body, r.URL.Query().Encode()
	if !isText(r.Header) {
		var err error
		if canonical, err = canonicalBody(body); err != nil {
			return "", err
		}
	} else if s.broken(textNotCompared) {
		canonical = nil
	}
	if s.broken(rawBodyFingerprint) {
		canonical = body
	}
	if s.broken(ownerNotCompared) {
		canonical = withoutOwner(canonical)
	}
	if s.broken(queryNotCompared) {
		query = ""
	}
	return fingerprint(s.manners.compared(r.Method, r.URL.EscapedPath(), query, canonical)), nil
}

// isText reports whether a body is a plain text and not JSON.
func isText(h http.Header) bool {
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && media == "text/plain"
}
