package targets

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// writtenForms lists the ways in which a secret may stand in a text.
func writtenForms(v string) []string {
	query, path := url.QueryEscape(v), url.PathEscape(v)
	forms := []string{v,
		trimQuotes(jsonText(v)), jsonHTML(v), jsonASCII(v), strings.ReplaceAll(trimQuotes(jsonText(v)), "/", `\/`),
		query, strings.ReplaceAll(query, "+", "%20"), path, escapeAll(v),
		html.EscapeString(v),
		base64.StdEncoding.EncodeToString([]byte(v)), base64.RawStdEncoding.EncodeToString([]byte(v)),
		base64.URLEncoding.EncodeToString([]byte(v)), base64.RawURLEncoding.EncodeToString([]byte(v)),
	}
	for _, f := range forms {
		if strings.Contains(f, "%") {
			forms = append(forms, lowerEscapes(f)) // %2F and %2f are the same
		}
	}
	return slices.DeleteFunc(forms, func(f string) bool { return len(f) < shortSecret })
}

func trimQuotes(b []byte) string { return string(b[1 : len(b)-1]) }

// jsonHTML is what encoding/json writes by default: <, > and & as escapes.
func jsonHTML(v string) string {
	b, err := json.Marshal(v)
	if err != nil {
		return v // cannot happen: every string encodes
	}
	return trimQuotes(b)
}

// jsonASCII is what writers do that escape everything beyond ASCII.
func jsonASCII(v string) string {
	var out strings.Builder
	for _, r := range trimQuotes(jsonText(v)) {
		if r < 0x80 {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

// escapeAll percent-escapes all but the characters that RFC 3986 calls unreserved, as encodeURIComponent nearly does.
func escapeAll(v string) string {
	var out strings.Builder
	for _, c := range []byte(v) {
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("-._~", c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

func lowerEscapes(s string) string {
	out := []byte(s)
	for i := 0; i+2 < len(out); i++ {
		if out[i] == '%' {
			copy(out[i+1:i+3], strings.ToLower(string(out[i+1:i+3])))
		}
	}
	return string(out)
}

// span is a stretch of a text that must go.
type span struct{ start, end int }

// spansOf finds every occurrence of every form, overlapping ones too. What stands inside an earlier "[redacted]" is none.
func spansOf(text string, forms []string) []span {
	var spans, done []span
	for at := 0; ; {
		i := strings.Index(text[at:], Redacted)
		if i < 0 {
			break
		}
		done = append(done, span{at + i, at + i + len(Redacted)})
		at += i + len(Redacted)
	}
	for _, form := range forms {
		for at := 0; at < len(text); {
			i := strings.Index(text[at:], form)
			if i < 0 {
				break
			}
			found := span{at + i, at + i + len(form)}
			if !slices.ContainsFunc(done, func(d span) bool { return d.start <= found.start && found.end <= d.end }) {
				spans = append(spans, found)
			}
			at = found.start + 1
		}
	}
	return spans
}

// replaceSpans puts "[redacted]" for each stretch; those that overlap are one.
func replaceSpans(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var out strings.Builder
	at := 0
	for i := 0; i < len(spans); {
		start, end := spans[i].start, spans[i].end
		for i++; i < len(spans) && spans[i].start < end; i++ {
			end = max(end, spans[i].end)
		}
		out.WriteString(text[at:start] + Redacted)
		at = end
	}
	out.WriteString(text[at:])
	return out.String()
}
