package steps

import (
	"net/http"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// spaced, beyondASCII and otherBeyondASCII are ends of keys that a careless reader drops.
const (
	spaced           = " "
	beyondASCII      = "é"
	otherBeyondASCII = "ü"
)

// oddKey gives a key that is a variation of the first one.
func (w *world) oddKey(s *sent, name string) (key, words string, err error) {
	for _, k := range []*string{&w.firstKey, &w.secondKey} {
		if *k == "" {
			if *k, err = w.freshKey(s); err != nil {
				return "", "", err
			}
		}
	}
	switch name {
	case "spaced":
		return w.firstKey + spaced, "the baseline's with a space at its end", nil
	case "beyond-ascii":
		return w.firstKey + beyondASCII, "one with a letter beyond ASCII", nil
	case "other-beyond-ascii":
		return w.firstKey + otherBeyondASCII, "the same with another letter beyond ASCII", nil
	case "other-quoting":
		return w.firstKey, "the baseline's in its other form", nil
	}
	return w.firstKey, "two, each in a line of its own", nil
}

// reform writes the key that was placed in another form: without its quotes or with them, or in two lines.
func (w *world) reform(s *sent, name string) {
	k := w.target.Profile.Key
	written := func(quoting targets.Quoting, key string) string {
		if quoting == targets.QuotingSFString {
			return targets.QuoteSF(key)
		}
		return key
	}
	switch name {
	case "other-quoting":
		other := targets.QuotingSFString
		if k.Quoting == targets.QuotingSFString {
			other = targets.QuotingBare
		}
		s.Header.Set(k.Name, written(other, s.Key))
	case "two-lines":
		s.Header[http.CanonicalHeaderKey(k.Name)] = []string{written(k.Quoting, s.Key), written(k.Quoting, w.secondKey)}
		s.Key += ", " + w.secondKey
	}
}
