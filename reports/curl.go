package reports

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"al.essio.dev/pkg/shellescape"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// curlBody is the longest body that a reproduction spells out.
const curlBody = 8 << 10

// Curl gives the shell command that sends the attempt by hand, on one line:
//
//	curl -sS -i -X POST https://… -H "Authorization: Bearer ${STAGING_TOKEN}" -H 'Idempotency-Key: 5c1e' --data-raw '{}'
//
// A secret becomes a shell variable: the one that the target file took it from, else one named after its place.
// Characters that do not print are written as escapes, so the line is safe to show and still sends the same bytes.
func Curl(a targets.Attempt, secrets *targets.Secrets) string {
	words := []string{"curl", "-sS", "-i", "-X", shellWord(a.Method, "")}
	url := secrets.RedactURL(a.URL)
	if strings.ContainsAny(strings.ReplaceAll(url, targets.Redacted, ""), "[]{}") {
		words = append(words, "-g") // brackets and braces are patterns to curl
	}
	words = append(words, urlWord(url))
	words = append(words, curlHeaders(a.Header, len(a.Body) > 0, secrets)...)
	body, comment := secrets.Redact(string(a.Body)), ""
	switch {
	case body == "":
	case len(body) > curlBody || !utf8.ValidString(body) || strings.ContainsRune(body, 0):
		comment = fmt.Sprintf(" # with a body of %d bytes, sha256 %s", len(a.Body), NewText([]byte(body), 1).SHA256)
	default:
		words = append(words, "--data-raw", shellWord(body, "BODY"))
	}
	return strings.Join(words, " ") + comment
}

// curlHeaders gives the -H words. curl writes Host and Content-Length itself.
func curlHeaders(h http.Header, body bool, secrets *targets.Secrets) []string {
	var words []string
	typed := false
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if strings.EqualFold(name, "Host") || strings.EqualFold(name, "Content-Length") {
			continue
		}
		typed = typed || strings.EqualFold(name, "Content-Type")
		shown := secrets.RedactHeader(http.Header{name: h[name]})[name]
		for i, value := range h[name] {
			switch {
			case shown[i] != value:
				words = append(words, "-H", secrets.Placeholder(name, value))
			case value == "":
				words = append(words, "-H", shellWord(name+";", "")) // "name:" would remove the header
			default:
				words = append(words, "-H", shellWord(name+": "+value, ""))
			}
		}
	}
	if body && !typed {
		words = append(words, "-H", "Content-Type:") // or else curl calls the body a form
	}
	return words
}

var secretParameter = regexp.MustCompile(`([\w.~-]+)=\[redacted\]`)

// urlWord names the variable after the query parameter that holds the secret.
func urlWord(url string) string {
	name := "URL"
	if m := secretParameter.FindStringSubmatch(url); m != nil {
		name = m[1]
	}
	return shellWord(url, name)
}

// shellWord quotes s as one word of a shell command. Secrets that were taken out become a variable named after place.
func shellWord(s, place string) string {
	parts := strings.Split(s, targets.Redacted)
	for i, part := range parts {
		if part != "" || len(parts) == 1 {
			parts[i] = quoted(part)
		}
	}
	return strings.Join(parts, `"$`+targets.SecretVariable(place)+`"`)
}

// quoted uses the quotes that every shell knows, and $'…' where there is something that would not print.
func quoted(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 && utf8.ValidString(s) {
		return shellescape.Quote(s)
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case unicode.IsPrint(r) && (r != utf8.RuneError || n > 1):
			b.WriteString(s[i : i+n])
		default: // bytes in octal: at most three digits, so the next character cannot be taken for a fourth
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
		i += n
	}
	return b.String() + "'"
}
