package steps

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// placeKey puts the key into the attempt and says in words how it relates to the earlier ones.
func (w *world) placeKey(s *sent, a sendArgs) error {
	key := ""
	switch {
	case a.KeyOf != "":
		old, err := w.find(a.KeyOf)
		if err != nil {
			return err
		}
		key, s.keyWords = old.Key, "the key of "+a.KeyOf
	case a.Key == "same" || a.Key == "other-case":
		if w.firstKey == "" {
			return fmt.Errorf("%q is to have the same key as an earlier attempt, and there is none", a.As)
		}
		key, s.keyWords = w.firstKey, "the baseline's"
		if a.Key == "other-case" {
			key, s.keyWords = otherCase(key), "the baseline's in the other letter case"
		}
	case strings.HasPrefix(a.Key, "length:"):
		n, err := strconv.Atoi(strings.TrimPrefix(a.Key, "length:"))
		if err != nil {
			return fmt.Errorf("read the length of a key: %w", err)
		}
		if key, err = w.longKey(s, n); err != nil {
			return err
		}
		s.keyWords = fmt.Sprintf("its own, of %d characters", n)
	case a.Key == "none":
		s.keyWords = "no key"
		return nil
	case a.Key == "empty":
		s.keyWords = "an empty key"
		return targets.Place(w.target.Profile.Key, "", &s.Attempt)
	default:
		var err error
		if key, err = w.freshKey(s); err != nil {
			return err
		}
		s.keyWords = "its own"
	}
	if w.firstKey == "" {
		w.firstKey = key
	}
	if w.target.Profile.Key.In == targets.InNone {
		s.Key = key
		return nil
	}
	return targets.Place(w.target.Profile.Key, key, &s.Attempt)
}

// freshKey makes a key: an opaque UUID, or the one that the target's template derives from the bundle.
func (w *world) freshKey(s *sent) (string, error) {
	if t := w.target.Profile.Key.Template; t != "" {
		return targets.Expand(t, w.vars(s))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	id, err := uuid.NewRandomFromReader(w.Random)
	if err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	return id.String(), nil
}

// longKey makes a key of n characters that does not compress.
func (w *world) longKey(s *sent, n int) (string, error) {
	var b strings.Builder
	for b.Len() < n {
		part, err := w.freshKey(s)
		if err != nil {
			return "", err
		}
		b.WriteString(part)
	}
	return b.String()[:n], nil
}

func otherCase(key string) string {
	if upper := strings.ToUpper(key); upper != key {
		return upper
	}
	return strings.ToLower(key)
}
