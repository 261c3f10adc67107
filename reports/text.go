package reports

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// TextLimit is how many bytes of a body an event shows where nothing else is asked for.
const TextLimit = 8 << 10

// NewText gives a body as shown: cut at limit, with the length and digest of the whole. A limit of 0 or less means
// TextLimit. The body must be free of secrets already: a digest of a text whose only unknown part is a short secret (a
// PIN, a CVC) gives the secret away to anyone who tries them all.
func NewText(body []byte, limit int) Text {
	if limit <= 0 {
		limit = TextLimit
	}
	t := Text{Size: int64(len(body)), Base64: !utf8.Valid(body)}
	if len(body) == 0 {
		return t
	}
	sum := sha256.Sum256(body)
	t.SHA256 = hex.EncodeToString(sum[:])
	shown := body
	if len(body) > limit {
		t.Cut = true
		shown = body[:limit]
		for !t.Base64 && !utf8.Valid(shown) { // at most three bytes: the cut went through a character
			shown = shown[:len(shown)-1]
		}
	}
	if t.Base64 {
		t.Text = base64.StdEncoding.EncodeToString(shown)
	} else {
		t.Text = string(shown)
	}
	return t
}

// validText writes bytes that are no UTF-8 as \xNN: JSON would replace each by the same character, and two different
// headers would look alike.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}
