package targets

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Redacted stands where a secret was.
const Redacted = "[redacted]"

// shortSecret is the length below which a secret is not looked for inside a text. Replacing every "a" or "on" would
// garble all reports, and the pattern of the holes would give the secret away; such a value is hidden only where it is
// the whole value of a header.
const shortSecret = 4

// Secrets knows what must never be shown and takes it out of texts: as it is, as JSON, URL, HTML and base64 write it. A
// nil *Secrets knows nothing and still hides headers and URL parts by their names. Safe for concurrent use.
//
// Secret are, in a target file: whatever ${NAME} brought in (but not a default written in the file), except in `name`,
// `profile` and the plain part of addresses; the values of headers and environment entries with a secret-looking name
// (SecretName); passwords in DSNs and URLs; URL query values with a secret-looking name.
type Secrets struct {
	mu    sync.RWMutex
	forms []string          // every written form of every secret of at least shortSecret bytes, the longest first
	short map[string]bool   // shorter secrets, hidden only as whole header values
	names map[string]string // secret -> shell variable that stands for it in a command line
}

// NewSecrets gives an empty set.
func NewSecrets() *Secrets {
	return &Secrets{short: map[string]bool{}, names: map[string]string{}}
}

// Add makes values secret. Empty ones are ignored; on a nil set nothing happens.
func (s *Secrets) Add(values ...string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range values {
		if v == "" {
			continue
		}
		if len(v) < shortSecret {
			s.short[v] = true
			continue
		}
		s.forms = append(s.forms, writtenForms(v)...)
	}
	slices.SortFunc(s.forms, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	s.forms = slices.Compact(s.forms)
}

// Redact gives the text with every form of every secret replaced by "[redacted]". Where two secrets overlap, the whole
// stretch goes: neither leaves a tail.
func (s *Secrets) Redact(text string) string {
	if s == nil || text == "" {
		return text
	}
	s.mu.RLock()
	forms := s.forms
	s.mu.RUnlock()
	return replaceSpans(text, spansOf(text, forms))
}

// RedactHeader gives a copy of a header that may be shown: a value goes whole where its name says that it is secret or
// where it is a short secret, and loses the secrets in it otherwise.
func (s *Secrets) RedactHeader(h http.Header) http.Header {
	if h == nil {
		return nil
	}
	out := make(http.Header, len(h))
	for name, values := range h {
		shown := make([]string, len(values))
		for i, v := range values {
			shown[i] = s.headerValue(name, v)
		}
		out[name] = shown
	}
	return out
}

func (s *Secrets) headerValue(name, value string) string {
	if value == "" {
		return ""
	}
	if SecretName(name) || s.isShort(value) {
		return Redacted
	}
	if strings.EqualFold(name, "Location") || strings.EqualFold(name, "Referer") {
		return s.RedactURL(value)
	}
	return s.Redact(value)
}

func (s *Secrets) isShort(value string) bool {
	if s == nil {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.short[value]
}

// RedactURL gives an address that may be shown: user and password go, query and fragment values with a secret-looking
// name go, and so does every known secret. It takes any text, also one that is no valid URL.
func (s *Secrets) RedactURL(address string) string {
	head, rest, ok := strings.Cut(address, "://")
	if !ok {
		head, rest = "", address
	} else {
		head += "://"
	}
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	if at := strings.LastIndex(authority, "@"); at >= 0 && ok {
		authority = Redacted + authority[at:]
	}
	return s.Redact(head + authority + redactFields(tail))
}

// redactFields hides name=value pairs behind ? and # by their names.
func redactFields(tail string) string {
	start := strings.IndexAny(tail, "?#")
	if start < 0 {
		return tail
	}
	var out strings.Builder
	out.WriteString(tail[:start])
	for rest := tail[start:]; rest != ""; {
		out.WriteByte(rest[0])
		rest = rest[1:]
		end := strings.IndexAny(rest, "?#&;")
		if end < 0 {
			end = len(rest)
		}
		name, value, ok := strings.Cut(rest[:end], "=")
		if ok && value != "" && SecretName(name) {
			out.WriteString(name + "=" + Redacted)
		} else {
			out.WriteString(rest[:end])
		}
		rest = rest[end:]
	}
	return out.String()
}

var nameMarks = strings.NewReplacer("-", "", "_", "", ".", "")

// SecretName reports whether the name of a header, query parameter or environment variable says that its value is
// secret. The names of idempotency headers never do, whatever else is in them.
func SecretName(name string) bool {
	plain := strings.ToLower(nameMarks.Replace(name))
	if strings.Contains(plain, "idempoten") {
		return false
	}
	switch plain {
	case "cookie", "setcookie", "auth", "sig", "pwd":
		return true
	}
	for _, part := range []string{"authorization", "token", "secret", "password", "passwd", "passphrase", "apikey",
		"signature", "credential", "privatekey", "accesskey", "sessionid"} {
		if strings.Contains(plain, part) {
			return true
		}
	}
	return false
}
