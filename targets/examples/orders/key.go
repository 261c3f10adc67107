package main

import (
	"net/http"
	"strings"
)

// maxKey is the greatest length of a key in characters, without quotes.
const maxKey = 255

// headerKey reads the one key of a request.
func headerKey(h http.Header) (string, error) {
	lines := h.Values("Idempotency-Key")
	if len(lines) > 1 {
		return "", badRequest("idempotency_key_invalid", "the header Idempotency-Key is sent more than once")
	}
	value := strings.Trim(strings.Join(lines, ""), " \t")
	key, ok := unquote(value)
	switch {
	case value == "" || (ok && key == ""):
		return "", badRequest("idempotency_key_missing", "the header Idempotency-Key is missing or empty")
	case !ok:
		return "", badRequest("idempotency_key_invalid", "the key must be printable ASCII, bare or as a structured-field string")
	case len(key) > maxKey:
		return "", badRequest("idempotency_key_invalid", "the key is longer than 255 characters")
	}
	return key, nil
}

// unquote takes a structured-field String (RFC 9651, section 3.3.3), as the draft asks for, or a bare value as it is.
func unquote(value string) (key string, ok bool) {
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", false
	}
	inner, quoted := strings.CutPrefix(value, `"`)
	if !quoted {
		return value, true
	}
	var text strings.Builder
	for i := 0; i < len(inner); i++ {
		c := inner[i]
		if c == '"' {
			return text.String(), i == len(inner)-1
		}
		if c == '\\' {
			i++
			if i == len(inner) || (inner[i] != '"' && inner[i] != '\\') {
				return "", false
			}
			c = inner[i]
		}
		text.WriteByte(c)
	}
	return "", false
}
