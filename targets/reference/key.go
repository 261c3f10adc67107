package reference

import (
	"errors"
	"net/http"
	"strings"
)

// keyHeader is the request header that carries the key.
const keyHeader = "Idempotency-Key"

// maxKey is the greatest length of a key in characters, without quotes.
const maxKey = 255

var (
	errKeyMissing = errors.New("the header is missing")
	errKeyEmpty   = errors.New("the key is empty")
	errKeyTwice   = errors.New("the header is sent more than once")
	errKeyLong    = errors.New("the key is longer than 255 characters")
	errKeyFormat  = errors.New("the key must be printable ASCII, bare or as a structured-field string")
)

// headerKey reads the one key of a request.
func headerKey(h http.Header) (string, error) {
	switch lines := h.Values(keyHeader); len(lines) {
	case 0:
		return "", errKeyMissing
	case 1:
		return parseKey(lines[0])
	default:
		return "", errKeyTwice
	}
}

// parseKey reads a header value. A value that begins with a double quote is a
// structured-field String (RFC 9651, section 3.3.3), as the IETF draft asks
// for; parameters behind it are refused. Any other value is taken as it is,
// as most vendors do. So "k" with quotes and k without are the same key.
//
// Keys are case-sensitive. Blanks around a bare key belong to HTTP and are
// dropped; blanks inside the quotes belong to the key.
func parseKey(value string) (string, error) {
	key := strings.Trim(value, " \t")
	if strings.HasPrefix(key, `"`) {
		var err error
		if key, err = unquote(key); err != nil {
			return "", err
		}
	}
	for i := range len(key) {
		if key[i] < ' ' || key[i] > '~' {
			return "", errKeyFormat
		}
	}
	switch {
	case key == "":
		return "", errKeyEmpty
	case len(key) > maxKey:
		return "", errKeyLong
	}
	return key, nil
}

// unquote reads a structured-field String: only \" and \\ are escapes, and
// nothing may follow the closing quote.
func unquote(text string) (string, error) {
	var key strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			if i != len(text)-1 {
				return "", errKeyFormat
			}
			return key.String(), nil
		case '\\':
			i++
			if i == len(text) || (text[i] != '"' && text[i] != '\\') {
				return "", errKeyFormat
			}
			key.WriteByte(text[i])
		default:
			key.WriteByte(c)
		}
	}
	return "", errKeyFormat
}

// keyOf takes the key of an attempt from where it travels.
func (s *Server) keyOf(a *attempt) error {
	if s.manners != nil {
		err := s.manners.takeKey(a)
		a.keyed = a.keyed && !s.broken(keyIgnored)
		return err
	}
	return s.readKey(a, a.Header)
}

// readKey takes the key of an attempt from its header. An operation that does
// not demand a key runs without one when the header is missing.
func (s *Server) readKey(a *attempt, h http.Header) error {
	key, err := headerKey(h)
	a.key, a.keyed = key, err == nil
	switch {
	case s.oddlyRead(a, h):
		return nil
	case s.broken(bareKey500) && err == nil && !strings.HasPrefix(strings.TrimSpace(h.Get(keyHeader)), `"`):
		return errors.New("parse the key as a structured field")
	case s.broken(longestKey500) && len(key) == maxKey:
		return errors.New("store a key that is too long for its column")
	case errors.Is(err, errKeyMissing):
		if !a.op.keyRequired || s.broken(missingKeyAccepted) {
			return nil
		}
		return keyProblem("idempotency_key_missing", err)
	case errors.Is(err, errKeyEmpty):
		if s.broken(emptyKeyAccepted) {
			a.keyed = true
			return nil
		}
		return keyProblem("idempotency_key_missing", err)
	case errors.Is(err, errKeyLong) && s.broken(longKey500):
		return err
	case err != nil:
		return keyProblem("idempotency_key_invalid", err)
	}
	if s.broken(keyCaseFolded) {
		a.key = strings.ToLower(key)
	}
	if s.broken(keyTrimmed) {
		a.key = strings.TrimSpace(key)
	}
	if s.broken(keyIgnored) || s.broken(notesNotCovered) && a.op.name == updateNoteOperation ||
		s.broken(deleteReplay404) && a.op.name == deleteTaskOperation {
		a.keyed = false
	}
	return nil
}
