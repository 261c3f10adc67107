package intake

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// CurlOptions are what reading a command needs from outside.
type CurlOptions struct {
	Env       targets.Env                  // for $NAME in the command; nil: none is set
	ReadFile  func(string) ([]byte, error) // for -d @file; nil: files are refused
	KeyHeader string                       // the header that carries the key, where the caller knows it
}

// curlCommand is a command while it is read.
type curlCommand struct {
	CurlOptions
	draft  *Draft
	url    string
	method string
	parts  []string // of the data, to be joined with &
	hasRaw bool
	json   bool
	get    bool
}

// Curl makes a draft from a curl command as a vendor's documentation or a browser gives it. Nothing is run. An option
// that is not known, or that cannot be taken over, is an error that says what to do; options about curl's output are
// skipped. Values of the environment and credentials become ${NAME} in the file (see Draft.Env).
func Curl(command string, o CurlOptions) (*Draft, error) {
	words, used, err := shellWords(command, o.Env)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 || !curlName.MatchString(words[0]) {
		return nil, errors.New("read the command: it does not begin with curl")
	}
	c := &curlCommand{CurlOptions: o, draft: newDraft("a curl command")}
	for name, value := range used {
		c.draft.Env[name] = value
	}
	if err := c.readWords(words[1:]); err != nil {
		return nil, fmt.Errorf("read the curl command: %w", err)
	}
	if err := c.finish(); err != nil {
		return nil, fmt.Errorf("read the curl command: %w", err)
	}
	return c.draft, nil
}

// readWords takes the options in order, as curl does.
func (c *curlCommand) readWords(words []string) error {
	for i := 0; i < len(words); i++ {
		word := words[i]
		var taken int
		var err error
		switch {
		case word == "--":
			continue
		case strings.HasPrefix(word, "--"):
			taken, err = c.readLong(word[2:], words[i+1:])
		case len(word) > 1 && word[0] == '-':
			taken, err = c.readShort(word[1:], words[i+1:])
		default:
			err = c.setURL(word)
		}
		if err != nil {
			return err
		}
		i += taken
	}
	return nil
}

// readLong reads --name; it gives the number of further words that it took.
func (c *curlCommand) readLong(name string, rest []string) (int, error) {
	if plain, _, joined := strings.Cut(name, "="); joined {
		return 0, fmt.Errorf("the curl option --%s: curl wants its value as the next word, not behind =", plain)
	}
	o, err := findLong(name)
	if err != nil {
		return 0, err
	}
	return c.apply(o, "--"+name, "", rest)
}

// readShort reads -x, -xVALUE and -abc.
func (c *curlCommand) readShort(letters string, rest []string) (int, error) {
	for i := range len(letters) {
		o, err := findShort(letters[i : i+1])
		if err != nil {
			return 0, err
		}
		if o.arg {
			return c.apply(o, "-"+o.short, letters[i+1:], rest)
		}
		if _, err := c.apply(o, "-"+o.short, "", nil); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

func (c *curlCommand) apply(o option, written, attached string, rest []string) (taken int, err error) {
	value := attached
	if o.arg && value == "" {
		if len(rest) == 0 {
			return 0, fmt.Errorf("the curl option %s needs a value", written)
		}
		value, taken = rest[0], 1
	}
	if o.do == nil {
		return taken, nil
	}
	if err := o.do(c, value); err != nil {
		return 0, fmt.Errorf("%s: %w", written, err)
	}
	return taken, nil
}

func (c *curlCommand) setURL(text string) error {
	if c.url != "" {
		return errors.New("it has more than one address; an address with spaces or & must stand in quotes, and a line that goes on needs a \\ at its end")
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text // as curl does
	}
	c.url = text
	return nil
}

func (c *curlCommand) addHeader(line string) error {
	if strings.HasPrefix(line, "@") {
		return errors.New("headers from a file are not read; give them one by one")
	}
	name, value, ok := strings.Cut(line, ":")
	name = strings.TrimSpace(name)
	if !ok {
		if bare, found := strings.CutSuffix(line, ";"); found {
			c.draft.guess(fmt.Sprintf("the header %s has no value and is left out", bare))
			return nil
		}
		return errors.New("a header is written Name: value")
	}
	return c.draft.setHeader(name, strings.TrimSpace(value), c.KeyHeader)
}

func (c *curlCommand) setUser(text string) error {
	if !strings.Contains(text, ":") {
		return errors.New("the password is missing (curl would ask for it): give user:password")
	}
	return c.addHeader("Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(text)))
}

func (c *curlCommand) setCookie(text string) error {
	if !strings.Contains(text, "=") {
		return errors.New("a file of cookies is not read; give name=value")
	}
	return c.addHeader("Cookie: " + text)
}

// finish makes the draft's request of what was gathered.
func (c *curlCommand) finish() error {
	if c.url == "" {
		return errors.New("it has no address")
	}
	data := strings.Join(c.parts, "&")
	address := c.url
	if c.get && data != "" {
		sep := "?"
		if strings.Contains(address, "?") {
			sep = "&"
		}
		address, data, c.hasRaw = address+sep+data, "", false
	}
	method := c.method
	switch {
	case method != "":
	case c.hasRaw:
		method = "POST"
	default:
		method = "GET"
	}
	if err := c.draft.SetRequest(method, address); err != nil {
		return err
	}
	if c.json {
		c.draft.defaultHeader("Content-Type", "application/json")
		c.draft.defaultHeader("Accept", "application/json")
	} else if c.hasRaw {
		c.draft.assumed = formType
	}
	return c.draft.SetBody(data)
}

// addData is -d: @file is read, and its line breaks are taken out.
func (c *curlCommand) addData(text string) error {
	if strings.HasPrefix(text, "@") {
		content, err := c.file(text[1:])
		if err != nil {
			return err
		}
		text = strings.NewReplacer("\r", "", "\n", "").Replace(content)
	}
	return c.addRaw(text)
}

func (c *curlCommand) addRaw(text string) error {
	c.parts, c.hasRaw = append(c.parts, text), true
	return nil
}

func (c *curlCommand) addBinary(text string) error {
	if strings.HasPrefix(text, "@") {
		content, err := c.file(text[1:])
		if err != nil {
			return err
		}
		text = content
	}
	return c.addRaw(text)
}

// addJSON is --json, whose values are joined without anything between them.
func (c *curlCommand) addJSON(text string) error {
	c.json = true
	before := len(c.parts)
	if err := c.addBinary(text); err != nil {
		return err
	}
	if before > 0 {
		c.parts = append(c.parts[:before-1], c.parts[before-1]+c.parts[before])
	}
	return nil
}

// addEncoded is --data-urlencode: content, =content, name=content, @file or name@file.
func (c *curlCommand) addEncoded(text string) error {
	at := strings.IndexAny(text, "=@")
	if at < 0 {
		return c.addRaw(escape(text))
	}
	name, value := text[:at], text[at+1:]
	if text[at] == '@' {
		content, err := c.file(value)
		if err != nil {
			return err
		}
		value = content
	}
	if name != "" {
		name += "="
	}
	return c.addRaw(name + escape(value))
}

// escape leaves templates as they are: they are filled in, and escaped, when the request is made.
func escape(text string) string {
	out := url.QueryEscape(text)
	return strings.NewReplacer("%7B%7B", "{{", "%7D%7D", "}}").Replace(out)
}

func (c *curlCommand) file(path string) (string, error) {
	switch {
	case path == "-":
		return "", errors.New("a body from standard input is not read; put it into the command or into a file")
	case c.ReadFile == nil:
		return "", fmt.Errorf("the file %s is not read; put its content into the command", path)
	}
	data, err := c.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the body: %w", err)
	}
	return string(data), nil
}
