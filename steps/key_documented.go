package steps

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// keyOfForm begins the word for a key of a documented form.
const keyOfForm = "form:"

// keyForm is one form of a key that is documented.
type keyForm struct {
	name string
	make func(k targets.Key, random io.Reader) (string, error)
}

// Shortest keys are only tried where there are so many that a new one is new; and letters in keys of at most so many.
const (
	enoughKeys     = 1e6
	lettersAtATime = 20
)

// keyForms lists the documented forms of a key.
func keyForms(k targets.Key) []keyForm {
	var list []keyForm
	if k.MaxLength > 0 {
		list = append(list, keyForm{"longest key", func(k targets.Key, r io.Reader) (string, error) { return k.Long(r, k.MaxLength) }})
	}
	if math.Pow(float64(len(k.Letters())), float64(k.MinLength)) >= enoughKeys {
		list = append(list, keyForm{"shortest key", func(k targets.Key, r io.Reader) (string, error) { return k.Long(r, k.MinLength) }})
	}
	for rest, n := k.Alphabet, lettersOfKey(k); rest != ""; {
		part := rest[:min(n, len(rest))]
		rest = rest[len(part):]
		list = append(list, keyForm{fmt.Sprintf("key with %q", part), func(k targets.Key, r io.Reader) (string, error) { return holding(k, part, r) }})
	}
	return list
}

// lettersOfKey is how many given letters a key holds beside random ones, of which there must be some to make it new.
func lettersOfKey(k targets.Key) int {
	if k.MaxLength == 0 {
		return lettersAtATime
	}
	return max(1, min(lettersAtATime, k.MaxLength/2))
}

// holding makes a key that holds some letters. Random ones stand around them, so that a space is at neither end.
func holding(k targets.Key, part string, random io.Reader) (string, error) {
	length := max(2*lettersAtATime, k.MinLength)
	if k.MaxLength > 0 {
		length = min(length, k.MaxLength)
	}
	around, err := k.Long(random, max(length-len(part), 0))
	if err != nil {
		return "", err
	}
	return around[:len(around)/2] + part + around[len(around)/2:], nil
}

// formedKey makes a key of a documented form.
func (w *world) formedKey(name string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, form := range keyForms(w.target.Profile.Key) {
		if form.name == name {
			return form.make(w.target.Profile.Key, w.Random)
		}
	}
	return "", fmt.Errorf("make a key: no form of it is called %q", name)
}

// keyFormArgs are the arguments of the verb documented_keys.
type keyFormArgs struct{}

// sendKeyForms sends the operation with a key of each documented form. Each is a request of its own.
func (w *world) sendKeyForms(ctx context.Context, _ keyFormArgs) error {
	for _, form := range keyForms(w.target.Profile.Key) {
		name := strings.ReplaceAll(form.name, `"`, "")
		if _, err := w.sendOne(ctx, sendArgs{As: name, Key: keyOfForm + form.name}); err != nil {
			return err
		}
		if err := w.expectHandled(ctx, handledArgs{As: name, Situation: string(judge.DocumentedKey)}); err != nil {
			return err
		}
	}
	return nil
}
