package intake

import (
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idempotency-conformance/idemcheck/targets"
)

const formType = "application/x-www-form-urlencoded"

// Draft is a target file in the making. Its texts are those of the file: templates ({{marker}}), and ${NAME} where a
// secret or a value of the environment belongs.
type Draft struct {
	Name    string
	Profile string // a profile's name or path; empty: none
	URL     string // scheme, host and port
	Remote  bool   // it is not on this machine
	Line    string // of the create: "POST /v1/orders"
	Headers []Header
	TLS     targets.TLS
	Key     targets.Key // how the key travels, as far as it is known
	Rate    string      // "10/s"; empty: no limit
	Records int         // that may be created at most; 0: the default
	ID      string      // JSONPath of the id in the create's answer; "": not known
	Read    string      // "GET /v1/orders/{{id}}"; "": not known
	Delete  string      // "DELETE /v1/orders/{{id}}"; "": not known
	List    *List       // how records are counted; nil: by the answers
	Invalid []string    // top-level members that are given a value of another type, to be refused
	Timeout string      // of one exchange; empty: the default

	Guesses []string          // what was guessed or left out, one sentence each
	Env     map[string]string // the values behind ${NAME}, as far as the user gave them

	body     *yaml.Node // nil: none
	text     string     // a body that is neither JSON nor a form
	assumed  string     // the media type that curl sends where no header says it
	from     string     // what it was made from
	comments map[string]string
}

// Header is one header of every request.
type Header struct{ Name, Value string }

// List is a list call that counts.
type List struct {
	Line   string // "GET /v1/orders?reference={{marker}}"
	Items  string
	ID     string
	Where  string
	Settle string // a duration; empty: none
}

func newDraft(from string) *Draft {
	return &Draft{from: from, Env: map[string]string{}, comments: map[string]string{}}
}

// New gives an empty draft; from says what it is made from, for the first line of the file.
func New(from string) *Draft { return newDraft(from) }

func (d *Draft) guess(text string) { d.Guesses = append(d.Guesses, text) }

// AssumeID takes $.id for the place of the record's id, where none is known.
func (d *Draft) AssumeID() {
	if d.ID == "" {
		d.ID = "$.id"
		d.comment("id", "guessed")
	}
}

// comment puts a remark beside a member of the file.
func (d *Draft) comment(member, text string) { d.comments[member] = text }

// SetRequest takes the create's method and absolute address apart.
func (d *Draft) SetRequest(method, address string) error {
	method = strings.ToUpper(strings.TrimSpace(method))
	switch method {
	case "POST", "PUT", "PATCH":
	case "GET", "HEAD", "DELETE", "OPTIONS":
		return fmt.Errorf("it is a %s; the request that creates something is needed, as a rule a POST", method)
	default:
		return fmt.Errorf("the method %q is none that creates something (POST, PUT, PATCH)", method)
	}
	origin, rest, err := d.splitURL(address)
	if err != nil {
		return err
	}
	d.URL, d.Line = origin, method+" "+rest
	d.Remote = !loopback(origin)
	if d.Name == "" {
		d.Name = nameOf(origin)
	}
	return nil
}

// splitURL parts an absolute address into its origin and the rest, with the secrets in it hidden.
func (d *Draft) splitURL(address string) (origin, rest string, err error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", "", errors.New("the address is no absolute http or https address")
	}
	if u.User != nil {
		return "", "", errors.New("the address holds a user or password; give them with -u or in an Authorization header")
	}
	scheme, tail, _ := strings.Cut(strings.TrimSpace(address), "://")
	path := ""
	if at := strings.IndexAny(tail, "/?#"); at >= 0 {
		path = tail[at:]
	}
	path, _, _ = strings.Cut(path, "#")
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if strings.ContainsAny(path, " \t\r\n") {
		return "", "", errors.New("the address holds white space")
	}
	return strings.ToLower(scheme) + "://" + u.Host, d.hideQuery(path), nil
}

// hideQuery puts ${NAME} for the query values whose names say that they are secret.
func (d *Draft) hideQuery(path string) string {
	bare, query, has := strings.Cut(path, "?")
	if !has {
		return path
	}
	fields := strings.Split(query, "&")
	for i, f := range fields {
		if name, value, ok := strings.Cut(f, "="); ok && targets.SecretName(name) && value != "" {
			fields[i] = name + "=" + d.secret(name, value)
		}
	}
	return bare + "?" + strings.Join(fields, "&")
}

// secret remembers a value under the name of a variable and gives the reference to it. A value that came from the
// environment keeps its name.
func (d *Draft) secret(name, value string) string {
	for _, known := range slices.Sorted(maps.Keys(d.Env)) {
		if v := d.Env[known]; v == value {
			return "${" + known + "}"
		}
	}
	variable := targets.SecretVariable(name)
	for n := 2; d.Env[variable] != ""; n++ {
		variable = fmt.Sprintf("%s_%d", targets.SecretVariable(name), n)
	}
	d.Env[variable] = value
	return "${" + variable + "}"
}

// SetHeader adds a header of every request. A header that carries an idempotency key becomes the draft's key: its value
// was made for one request.
func (d *Draft) SetHeader(name, value string) error { return d.setHeader(name, value, "") }

func (d *Draft) setHeader(name, value, keyHeader string) error {
	if name == "" || strings.ContainsAny(name, " \t\r\n") {
		return fmt.Errorf("%q is no header name", name)
	}
	switch lower := strings.ToLower(name); {
	case lower == strings.ToLower(keyHeader), keyHeader == "" && strings.Contains(strings.ReplaceAll(lower, "-", ""), "idempoten"):
		d.Key = targets.Key{In: targets.InHeader, Name: name}
		if strings.HasPrefix(value, `"`) {
			d.Key.Quoting = targets.QuotingSFString
		}
		return nil
	case slices.Contains([]string{"content-length", "transfer-encoding", "connection", "accept-encoding", "host"}, lower):
		if lower == "host" {
			d.guess("the header Host is left out: requests carry the host of the address")
		}
		return nil
	}
	if value == "" {
		return nil
	}
	if targets.SecretName(name) {
		scheme, credential, ok := strings.Cut(value, " ")
		if ok && !strings.EqualFold(name, "Cookie") {
			value = scheme + " " + d.secret(name, strings.TrimSpace(credential))
		} else {
			value = d.secret(name, value)
		}
	} else {
		value = d.plain(value)
	}
	d.Headers = slices.DeleteFunc(d.Headers, func(h Header) bool { return strings.EqualFold(h.Name, name) })
	d.Headers = append(d.Headers, Header{name, value})
	return nil
}

// defaultHeader sets a header unless it is there.
func (d *Draft) defaultHeader(name, value string) {
	if d.header(name) == "" {
		d.Headers = append(d.Headers, Header{name, value})
	}
}

func (d *Draft) header(name string) string {
	for _, h := range d.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// plain writes a text of the user's so that the file means it as it is, with ${NAME} for what came from the environment.
func (d *Draft) plain(text string) string {
	text = strings.ReplaceAll(text, "${", "$${")
	for _, name := range slices.Sorted(maps.Keys(d.Env)) {
		if value := d.Env[name]; len(value) > 3 {
			text = strings.ReplaceAll(text, value, "${"+name+"}")
		}
	}
	return text
}

// contentType is the media type of the body.
func (d *Draft) contentType() string {
	if t := d.header("Content-Type"); t != "" {
		return t
	}
	return d.assumed
}

func isForm(mediaType string) bool {
	t, _, err := mime.ParseMediaType(mediaType)
	return err == nil && strings.EqualFold(t, formType)
}

var unsafe = regexp.MustCompile(`[^a-z0-9]+`)

// nameOf makes the name of a target from its address.
func nameOf(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	return strings.Trim(unsafe.ReplaceAllString(strings.ToLower(host), "-"), "-")
}

// loopback asks the rule of targets whether an address is on this machine.
func loopback(origin string) bool {
	return (&targets.Target{URL: origin}).CheckRemote(false) == nil
}
