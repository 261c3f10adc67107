package targets

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// noteSecrets decides, while a file is read, what of one text is secret. See Secrets for the rules.
func (d *decoder) noteSecrets(path, text string, uses []envUse) {
	if d.secrets == nil || path == "name" || path == "profile" {
		return
	}
	parts := urlSecrets(text)
	d.secrets.Add(parts...)
	for _, use := range uses {
		if !isAddress(path) || hiddenInURL(text, use.value) {
			d.secrets.addFrom(use)
		}
	}
	leaf := path[strings.LastIndex(path, ".")+1:]
	if leaf == "dsn" {
		d.secrets.Add(dsnPassword(text)...)
	}
	if isHeaderPath(path) && SecretName(leaf) && len(templateNames(text)) == 0 {
		d.secrets.addHeader(leaf, text)
	}
}

// isAddress reports whether a path is that of a base address, whose scheme, host and path may be shown.
func isAddress(path string) bool {
	return path == "url" || strings.HasPrefix(path, "replicas[") ||
		(strings.HasPrefix(path, "namespaces.") && strings.HasSuffix(path, ".url"))
}

// isHeaderPath reports whether a path is a member of a mapping of headers or environment entries.
func isHeaderPath(path string) bool {
	up := path[:max(strings.LastIndex(path, "."), 0)]
	switch up[strings.LastIndex(up, ".")+1:] {
	case "headers", "env", "companions", "slow", "fail", "refuse":
		return true
	}
	return false
}

// addFrom makes a value of the environment secret and remembers by which variable a reader can give it.
func (s *Secrets) addFrom(use envUse) {
	s.Add(use.value)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names[use.value] == "" && len(use.value) >= shortSecret {
		s.names[use.value] = use.name
	}
}

// addHeader makes the value of a secret header secret, whole and in the parts that may turn up alone: the credential
// behind its scheme, the user:password of Basic and its password, the values of cookies.
func (s *Secrets) addHeader(name, value string) {
	s.Add(value)
	scheme, credential, ok := strings.Cut(value, " ")
	if credential = strings.TrimSpace(credential); !ok {
		credential = value
	}
	s.nameLiteral(name, credential)
	if ok {
		s.Add(credential)
		if plain, err := base64.StdEncoding.DecodeString(credential); err == nil && strings.EqualFold(scheme, "Basic") {
			_, password, _ := strings.Cut(string(plain), ":")
			s.Add(string(plain), password)
		}
	}
	if strings.EqualFold(name, "Cookie") {
		for cookie := range strings.SplitSeq(value, ";") {
			_, v, _ := strings.Cut(cookie, "=")
			s.Add(strings.TrimSpace(v))
		}
	}
}

// nameLiteral gives a credential that stands in the file itself a shell variable of its own: two credentials for one
// header must not look the same in a command line.
func (s *Secrets) nameLiteral(header, credential string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names[credential] != "" || len(credential) < shortSecret {
		return
	}
	taken := map[string]bool{}
	for _, name := range s.names {
		taken[name] = true
	}
	name := SecretVariable(header)
	for n := 2; taken[name]; n++ {
		name = SecretVariable(header) + "_" + strconv.Itoa(n)
	}
	s.names[credential] = name
}

// urlSecrets gives what is secret in an address by itself: the password, user:password, and query values by name.
func urlSecrets(text string) []string {
	var out []string
	if u, err := url.Parse(text); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok && len(templateNames(password)) == 0 {
			out = append(out, password, u.User.Username()+":"+password, u.User.String())
		}
	}
	_, query, _ := strings.Cut(text, "?")
	for field := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' || r == '#' }) {
		name, value, _ := strings.Cut(field, "=")
		if !SecretName(name) || len(templateNames(value)) > 0 {
			continue
		}
		out = append(out, value)
		if plain, err := url.QueryUnescape(value); err == nil {
			out = append(out, plain)
		}
	}
	return out
}

// hiddenInURL reports whether a value of the environment stands in the part of an address that may not be shown. Where
// it is the address itself, urlSecrets has found what is secret in it.
func hiddenInURL(text, value string) bool {
	_, rest, _ := strings.Cut(text, "://")
	authority, _, _ := strings.Cut(rest, "/")
	userinfo := ""
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		userinfo = authority[:at]
	}
	_, query, _ := strings.Cut(text, "?")
	return strings.Contains(userinfo, value) || strings.Contains(query, value)
}

var (
	dsnPair = regexp.MustCompile(`(?i)(?:password|pwd)\s*=\s*('(?:[^'\\]|\\.)*'|[^\s;&]+)`)
	dsnUser = regexp.MustCompile(`^[^:/@\s]+:(.*)@[a-z]*\(`)
)

// dsnPassword finds the password in the forms of DSN that are no URL: "host=… password=…" and "user:password@tcp(…)/".
func dsnPassword(dsn string) []string {
	var out []string
	for _, m := range dsnPair.FindAllStringSubmatch(dsn, -1) {
		out = append(out, strings.Trim(m[1], "'"))
	}
	if m := dsnUser.FindStringSubmatch(dsn); m != nil {
		out = append(out, m[1])
	}
	return out
}
