package reference

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"

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

// fingerprintOf takes the fingerprint of an attempt.
func (s *Server) fingerprintOf(method string, target *url.URL, body []byte) (string, error) {
	canonical, err := canonicalBody(body)
	if err != nil {
		return "", err
	}
	if s.broken(rawBodyFingerprint) {
		canonical = body
	}
	return fingerprint(method, target.EscapedPath(), target.Query().Encode(), canonical), nil
}
