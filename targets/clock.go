package targets

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Clock is how the target's time is moved forward, in exactly one way, and how it is read. In templates {{duration}} is
// the step as Go writes it ("24h0m1s"), {{seconds}} the same in seconds, {{key}} the key whose retention the case is about.
type Clock struct {
	HTTP    *Request     `yaml:"http"`    // a request that moves it
	SQL     *ClockSQL    `yaml:"sql"`     // statements that move it, or that make stored keys older
	Command *CommandCall `yaml:"command"` // a command that moves it, run without a shell; what it prints is ignored
	Header  *ClockHeader `yaml:"header"`  // a header with the time, sent with every request of a case
	Wait    bool         `yaml:"wait"`    // time really passes; also written `clock: wait`
	Now     *ClockNow    `yaml:"now"`     // how it is read; without it only a key that behaves as expired shows that it moved
}

// ClockSQL are statements that change the target's database, in one transaction: one in Query, or several in Statements.
type ClockSQL struct {
	DSN        string      `yaml:"dsn"` // as that of an observer
	Query      string      `yaml:"query"`
	Args       Strings     `yaml:"args"`
	Statements []Statement `yaml:"statements"`
}

// Statement is one SQL statement. Its text is passed as it is; templates are expanded in the arguments only.
type Statement struct {
	Query string  `yaml:"query"`
	Args  Strings `yaml:"args"`
}

// All lists the statements in order.
func (c ClockSQL) All() []Statement {
	if c.Query != "" {
		return append([]Statement{{c.Query, c.Args}}, c.Statements...)
	}
	return c.Statements
}

// ClockHeader is a request header that tells the target what time it is.
type ClockHeader struct {
	Name   string     `yaml:"name"`
	Format TimeFormat `yaml:"format"` // default rfc3339
}

// TimeFormat is how a moment is written.
type TimeFormat string

// The formats of a header with the time.
const (
	FormatRFC3339  TimeFormat = "rfc3339"
	FormatHTTPDate TimeFormat = "http-date" // RFC 9110 section 5.6.7, whole seconds
	FormatUnix     TimeFormat = "unix"      // whole seconds since 1970
)

// Text writes a moment in the header's format.
func (h ClockHeader) Text(at time.Time) string {
	switch h.Format {
	case FormatHTTPDate:
		return at.UTC().Format(http.TimeFormat)
	case FormatUnix:
		return strconv.FormatInt(at.Unix(), 10)
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// ClockNow is how the target's time is read: by a request, with At a JSONPath into its answer or header:NAME, or by a
// query that gives one value. The value may also be when the key was stored, where SQL or a command makes keys older.
type ClockNow struct {
	Request `yaml:",inline"`
	At      string    `yaml:"at"`
	SQL     *SQLQuery `yaml:"sql"`
}

// Read finds the time in the answer to a request.
func (n ClockNow) Read(x Exchange) (time.Time, error) {
	if name, ok := strings.CutPrefix(n.At, headerID); ok {
		return ParseTime(x.Answer.Get(strings.TrimSpace(name)))
	}
	text, ok := QueryText(n.At, x.Content)
	if !ok {
		return time.Time{}, fmt.Errorf("the answer has nothing at %s", n.At)
	}
	return ParseTime(text)
}

// timeLayouts are the texts that ParseTime knows; without a zone they are UTC.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999-07",
	"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"}

// ParseTime reads a moment: RFC 3339, an HTTP date, the texts of the usual databases, or a number since 1970 in seconds,
// milliseconds, microseconds or nanoseconds, which are told apart by their size.
func ParseTime(text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseFloat(text, 64); err == nil && n > 0 && n < 1e19 {
		for n >= 1e11 { // seconds reach that in the year 5138
			n /= 1000
		}
		return time.Unix(0, int64(n*float64(time.Second))), nil
	}
	if at, err := http.ParseTime(text); err == nil {
		return at, nil
	}
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time that can be read", text)
}

// Schedule is when a sender tries again: delays after the first attempt, growing.
type Schedule []Duration

// schedule reads a list of delays, or a text with commas between them.
func (d *decoder) schedule(n *yaml.Node, into *Schedule, path string) {
	if n.Kind != yaml.ScalarNode {
		d.list(n, reflect.ValueOf(into).Elem(), path)
		return
	}
	parseInto(d, n, path, into, func(s string) (Schedule, error) {
		var out Schedule
		for _, part := range strings.Split(s, ",") {
			delay, err := parseDuration(strings.TrimSpace(part))
			if err != nil {
				return nil, err
			}
			out = append(out, delay)
		}
		return out, nil
	})
}

// clockWord reads `clock: wait`. It reports whether the clock is written as a single word.
func (d *decoder) clockWord(n *yaml.Node, into **Clock, path string) bool {
	if n.Kind != yaml.ScalarNode {
		return false
	}
	var way string
	enumInto(d, n, path, &way, []string{"wait"})
	*into = &Clock{Wait: way == "wait"}
	return true
}
