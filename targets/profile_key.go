package targets

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
)

// KeyIn is the part of a request that carries the key.
type KeyIn string

// Where a key can travel.
const (
	InHeader    KeyIn = "header"
	InBody      KeyIn = "body" // Name is an RFC 6901 JSON pointer
	InQuery     KeyIn = "query"
	InForm      KeyIn = "form"
	InDirective KeyIn = "graphql_directive" // Name is the directive with its argument: idempotent(key)
	InNone      KeyIn = "none"              // no key at all: a unique field does the work
)

// KeyPlaces lists where a key can travel.
func KeyPlaces() []KeyIn {
	return []KeyIn{InHeader, InBody, InQuery, InForm, InDirective, InNone}
}

// Quoting is how a key is written in a header.
type Quoting string

// The written forms: bare, or a structured-field String in double quotes (RFC 9651 section 3.3.3). Where either is
// documented, the bare one is sent.
const (
	QuotingBare     Quoting = "bare"
	QuotingSFString Quoting = "sf_string"
	QuotingEither   Quoting = "either"
)

// Generator is what a fresh key is made of.
type Generator string

// The generators. Random is drawn from the key's alphabet; a ULID's time is random, too. https://github.com/ulid/spec
const (
	GeneratorUUID4  Generator = "uuid4"
	GeneratorUUID5  Generator = "uuid5"
	GeneratorULID   Generator = "ulid"
	GeneratorRandom Generator = "random"
)

// Generators lists every generator.
func Generators() []Generator {
	return []Generator{GeneratorUUID4, GeneratorUUID5, GeneratorULID, GeneratorRandom}
}

// The letters of a ULID, of which there are 26; the first is one of the first eight, since the whole is 128 bits long.
const (
	ulidLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	ulidLength  = 26
)

// MadeBy tells what a key was made with by its form; empty where the form does not tell.
func MadeBy(key string) Generator {
	if len(key) == ulidLength && key[0] < '8' && strings.Trim(key, ulidLetters) == "" {
		return GeneratorULID
	}
	id, err := uuid.Parse(key)
	switch {
	case err != nil:
		return ""
	case id.Version() == 4:
		return GeneratorUUID4
	case id.Version() == 5:
		return GeneratorUUID5
	}
	return ""
}

// Key is how the idempotency key travels.
type Key struct {
	In         KeyIn     `yaml:"in"`
	Name       string    `yaml:"name"`
	OtherNames Strings   `yaml:"other_names"` // what other operations of the same owner call it; a target file chooses
	Quoting    Quoting   `yaml:"quoting"`
	Template   string    `yaml:"template"`   // a key derived from the bundle; empty: an opaque one per bundle
	Generator  Generator `yaml:"generator"`  // of opaque keys; empty: uuid4, or random where a UUID is too long
	Alphabet   string    `yaml:"alphabet"`   // the characters a key may hold; empty: not documented
	MinLength  int       `yaml:"min_length"` // characters; 0: not documented
	MaxLength  int       `yaml:"max_length"` // characters; 0: not documented
	Methods    Strings   `yaml:"methods"`    // methods on which the key counts
	// Companions are further headers sent with each key. {{key}}, {{first_sent}} (when the key was first sent, an HTTP
	// date) and {{now}} are replaced.
	Companions map[string]string `yaml:"companions"`
	Claim      `yaml:",inline"`
}

// uuidLength is that of a UUID in its usual text form.
const uuidLength = 36

// randomLength is that of a random key where no length is documented.
const randomLength = 32

// letters is the alphabet of random keys where none is documented.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// Fresh makes a key that nothing has used yet, from random bytes.
func (k Key) Fresh(random io.Reader) (string, error) {
	generator := k.Generator
	if generator == "" && k.MaxLength > 0 && k.MaxLength < uuidLength {
		generator = GeneratorRandom
	}
	switch generator {
	case GeneratorRandom:
		return k.random(random)
	case GeneratorULID:
		return freshULID(random)
	}
	id, err := uuid.NewRandomFromReader(random)
	if err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	if generator == GeneratorUUID5 {
		id = uuid.NewSHA1(uuid.NameSpaceOID, id[:])
	}
	return id.String(), nil
}

func freshULID(random io.Reader) (string, error) {
	key, err := Key{Alphabet: ulidLetters}.Long(random, ulidLength)
	if err != nil {
		return "", err
	}
	first := strings.IndexByte(ulidLetters, key[0]) % 8
	return ulidLetters[first:first+1] + key[1:], nil
}

func (k Key) random(random io.Reader) (string, error) {
	length := max(randomLength, k.MinLength)
	if k.MaxLength > 0 {
		length = min(length, k.MaxLength)
	}
	return k.Long(random, length)
}

// Letters gives the characters that a key is made of, where it is random.
func (k Key) Letters() string {
	if alphabet := strings.Trim(k.Alphabet, " "); alphabet != "" { // a space at either end would be lost in a header
		return alphabet
	}
	return letters
}

// Long makes a random key of a length.
func (k Key) Long(random io.Reader, length int) (string, error) {
	alphabet := k.Letters()
	raw := make([]byte, length)
	if _, err := io.ReadFull(random, raw); err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	for i, b := range raw {
		raw[i] = alphabet[int(b)%len(alphabet)]
	}
	return string(raw), nil
}

// Dated gives the key with its companion headers filled in for one attempt: first is when the key was first sent, now
// when this attempt is.
func (k Key) Dated(key string, first, now time.Time) (Key, error) {
	vars := Vars{"key": key, "first_sent": first.UTC().Format(http.TimeFormat), "now": now.UTC().Format(http.TimeFormat)}
	filled := make(map[string]string, len(k.Companions))
	for name, value := range k.Companions {
		text, err := Expand(value, vars)
		if err != nil {
			return Key{}, fmt.Errorf("fill in the header %s that goes with the key: %w", name, err)
		}
		filled[name] = text
	}
	k.Companions = filled
	return k, nil
}

// Place says in words where the key travels: "header Idempotency-Key", "body /idempotency_key".
func (k Key) Place() string {
	if k.In == InNone {
		return "none"
	}
	return string(k.In) + " " + k.Name
}
