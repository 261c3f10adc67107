package intake

import (
	"fmt"
	"slices"

	"github.com/agnivade/levenshtein"
)

// option is one option of curl.
type option struct {
	long  string
	short string // one letter; empty: none
	arg   bool
	do    func(c *curlCommand, value string) error // nil: it changes nothing about what is sent
	// Why it cannot be taken over; such a command is refused.
	refused string
}

// curlOptions lists the options that are understood, those that mean nothing here, and those that are refused with a
// reason. Names and meaning: https://curl.se/docs/manpage.html.
func curlOptions() []option {
	return slices.Concat(requestOptions(), quietOptions(), refusedOptions())
}

func requestOptions() []option {
	return []option{
		{long: "request", short: "X", arg: true, do: func(c *curlCommand, v string) error { c.method = v; return nil }},
		{long: "header", short: "H", arg: true, do: (*curlCommand).addHeader},
		{long: "url", arg: true, do: (*curlCommand).setURL},
		{long: "data", short: "d", arg: true, do: (*curlCommand).addData},
		{long: "data-ascii", arg: true, do: (*curlCommand).addData},
		{long: "data-raw", arg: true, do: (*curlCommand).addRaw},
		{long: "data-binary", arg: true, do: (*curlCommand).addBinary},
		{long: "data-urlencode", arg: true, do: (*curlCommand).addEncoded},
		{long: "json", arg: true, do: (*curlCommand).addJSON},
		{long: "get", short: "G", do: func(c *curlCommand, _ string) error { c.get = true; return nil }},
		{long: "user", short: "u", arg: true, do: (*curlCommand).setUser},
		{long: "oauth2-bearer", arg: true, do: func(c *curlCommand, v string) error { return c.addHeader("Authorization: Bearer " + v) }},
		{long: "cookie", short: "b", arg: true, do: (*curlCommand).setCookie},
		{long: "user-agent", short: "A", arg: true, do: func(c *curlCommand, v string) error { return c.addHeader("User-Agent: " + v) }},
		{long: "referer", short: "e", arg: true, do: func(c *curlCommand, v string) error { return c.addHeader("Referer: " + v) }},
		{long: "insecure", short: "k", do: func(c *curlCommand, _ string) error { c.draft.TLS.SkipVerify = true; return nil }},
		{long: "cacert", arg: true, do: func(c *curlCommand, v string) error { c.draft.TLS.CA = v; return nil }},
		{long: "cert", short: "E", arg: true, do: func(c *curlCommand, v string) error { c.draft.TLS.Cert = v; return nil }},
		{long: "key", arg: true, do: func(c *curlCommand, v string) error { c.draft.TLS.Key = v; return nil }},
		{long: "location", short: "L", do: said("-L: redirects are not followed; a redirect is an answer like any other")},
		{long: "retry", arg: true, do: said("--retry: idemcheck sends the repeats itself")},
		{long: "retry-all-errors", do: said("--retry-all-errors: idemcheck sends the repeats itself")},
		{long: "retry-delay", arg: true},
		{long: "retry-max-time", arg: true},
	}
}

// quietOptions are about what curl prints and how it connects; they change nothing about the request.
func quietOptions() []option {
	return []option{
		{long: "silent", short: "s"}, {long: "show-error", short: "S"}, {long: "include", short: "i"}, {long: "show-headers"},
		{long: "verbose", short: "v"}, {long: "fail", short: "f"}, {long: "fail-with-body"}, {long: "no-buffer", short: "N"},
		{long: "progress-bar", short: "#"}, {long: "no-progress-meter"}, {long: "compressed"}, {long: "globoff", short: "g"},
		{long: "path-as-is"}, {long: "ipv4", short: "4"}, {long: "ipv6", short: "6"}, {long: "http1.1"}, {long: "http2"},
		{long: "tlsv1.2"}, {long: "tlsv1.3"}, {long: "no-keepalive"}, {long: "disable", short: "q"}, {long: "remote-name", short: "O"},
		{long: "output", short: "o", arg: true}, {long: "write-out", short: "w", arg: true}, {long: "connect-timeout", arg: true},
		{long: "max-time", short: "m", arg: true}, {long: "cookie-jar", short: "c", arg: true}, {long: "dump-header", short: "D", arg: true},
		{long: "stderr", arg: true}, {long: "trace-ascii", arg: true}, {long: "limit-rate", arg: true}, {long: "basic"},
	}
}

func refusedOptions() []option {
	const signed = "each request would have to be signed anew, which idemcheck cannot do"
	return []option{
		{long: "form", short: "F", arg: true, refused: "multipart forms cannot be sent; use a JSON or a plain form body"},
		{long: "form-string", arg: true, refused: "multipart forms cannot be sent; use a JSON or a plain form body"},
		{long: "upload-file", short: "T", arg: true, refused: "give the body with -d"},
		{long: "head", short: "I", refused: "a HEAD creates nothing"},
		{long: "next", short: ":", refused: "it joins two requests; give the one that creates"},
		{long: "config", short: "K", arg: true, refused: "give its options in the command"},
		{long: "netrc", short: "n", refused: "give the credential with -u or -H"},
		{long: "proxy", short: "x", arg: true, refused: "set HTTPS_PROXY in the environment instead"},
		{long: "resolve", arg: true, refused: "give the address itself"},
		{long: "connect-to", arg: true, refused: "give the address itself"},
		{long: "unix-socket", arg: true, refused: "only TCP is spoken"},
		{long: "digest", refused: signed},
		{long: "ntlm", refused: signed},
		{long: "negotiate", refused: signed},
		{long: "aws-sigv4", arg: true, refused: signed},
	}
}

// said makes an option that is taken note of and changes nothing.
func said(text string) func(*curlCommand, string) error {
	return func(c *curlCommand, _ string) error {
		c.draft.guess(text)
		return nil
	}
}

// findLong finds an option by its long name; the error names the nearest one.
func findLong(name string) (option, error) {
	best, distance := "", 4
	for _, o := range curlOptions() {
		if o.long == name {
			return o, o.check("--" + name)
		}
		if d := levenshtein.ComputeDistance(o.long, name); d < distance {
			best, distance = o.long, d
		}
	}
	if best != "" {
		return option{}, fmt.Errorf("the curl option --%s is not known (did you mean --%s?)", name, best)
	}
	return option{}, fmt.Errorf("the curl option --%s is not known; leave it out if it does not change the request", name)
}

func findShort(letter string) (option, error) {
	for _, o := range curlOptions() {
		if o.short == letter {
			return o, o.check("-" + letter)
		}
	}
	for _, o := range curlOptions() {
		if o.short != "" && (o.short[0]^letter[0]) == 0x20 { // the same letter in the other case
			return option{}, fmt.Errorf("the curl option -%s is not known (did you mean -%s, --%s?)", letter, o.short, o.long)
		}
	}
	return option{}, fmt.Errorf("the curl option -%s is not known; leave it out if it does not change the request", letter)
}

func (o option) check(written string) error {
	if o.refused != "" {
		return fmt.Errorf("the curl option %s cannot be taken over: %s", written, o.refused)
	}
	return nil
}
