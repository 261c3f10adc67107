package steps

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// placeKey chooses a key and puts it into the attempt.
func (w *world) placeKey(s *sent, a sendArgs) error {
	key, words, err := w.chooseKey(s, a)
	if err != nil {
		return err
	}
	return w.placeChosen(s, a, key, words)
}

// placeChosen puts a key into the attempt and says in words how it relates to the earlier ones.
func (w *world) placeChosen(s *sent, a sendArgs, key, words string) error {
	s.keyWords = words
	if a.Key == "none" {
		return nil
	}
	if w.firstKey == "" {
		w.firstKey = key
	}
	if w.target.Profile.Key.In == targets.InNone {
		s.Key = key
		return nil
	}
	dated, err := w.target.Profile.Key.Dated(key, w.firstSent(key), w.Now())
	if err != nil {
		return err
	}
	if err := targets.Place(dated, key, &s.Attempt); err != nil {
		return err
	}
	w.reform(s, a.Key)
	return nil
}

// firstSent gives when the case first made an attempt with a key, which is now for a new one.
func (w *world) firstSent(key string) time.Time {
	if w.keyTimes == nil {
		w.keyTimes = map[string]time.Time{}
	}
	if _, known := w.keyTimes[key]; !known {
		w.keyTimes[key] = w.Now()
	}
	return w.keyTimes[key]
}

// chooseKey gives the key of an attempt, with its relationship to the earlier ones in words.
func (w *world) chooseKey(s *sent, a sendArgs) (key, words string, err error) {
	if length, long := strings.CutPrefix(a.Key, "length:"); long {
		return w.longKey(s, length)
	}
	if form, is := strings.CutPrefix(a.Key, keyOfForm); is {
		key, err = w.formedKey(form)
		return key, "its own: the " + form, err
	}
	switch a.Key {
	case "spaced", "beyond-ascii", "other-beyond-ascii", "other-quoting", "two-lines":
		return w.oddKey(s, a.Key)
	}
	switch {
	case a.KeyOf != "":
		old, err := w.find(a.KeyOf)
		if err != nil {
			return "", "", err
		}
		return old.Key, "the key of " + a.KeyOf, nil
	case a.Key == "none":
		return "", "no key", nil
	case a.Key == "empty":
		return "", "an empty key", nil
	case (a.Key == "same" || a.Key == "other-case") && w.firstKey == "":
		return "", "", fmt.Errorf("%q is to have the same key as an earlier attempt, and there is none", a.As)
	case a.Key == "same":
		return w.firstKey, "the baseline's", nil
	case a.Key == "other-case":
		return otherCase(w.firstKey), "the baseline's in the other letter case", nil
	}
	key, err = w.freshKey(s)
	return key, "its own", err
}

// freshKey makes a key: an opaque one, or the one that the target's template derives from the bundle.
func (w *world) freshKey(s *sent) (string, error) {
	if t := w.target.Profile.Key.Template; t != "" {
		return targets.Expand(t, w.vars(s))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.target.Profile.Key.Fresh(w.Random)
}

// longKey makes a key of so many characters that does not compress.
func (w *world) longKey(s *sent, length string) (key, words string, err error) {
	n, err := strconv.Atoi(length)
	if err != nil {
		return "", "", fmt.Errorf("read the length of a key: %w", err)
	}
	var b strings.Builder
	for b.Len() < n {
		part, err := w.freshKey(s)
		if err != nil {
			return "", "", err
		}
		b.WriteString(part)
	}
	return b.String()[:n], fmt.Sprintf("its own, of %d characters", n), nil
}

func otherCase(key string) string {
	if upper := strings.ToUpper(key); upper != key {
		return upper
	}
	return strings.ToLower(key)
}
