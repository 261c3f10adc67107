package targets

import "strings"

// ways lists the ways of moving the time that a clock names.
func (c Clock) ways() []string {
	var out []string
	for _, w := range []struct {
		name string
		set  bool
	}{{"http", c.HTTP != nil}, {"sql", c.SQL != nil}, {"command", c.Command != nil}, {"header", c.Header != nil}, {"wait", c.Wait}} {
		if w.set {
			out = append(out, w.name)
		}
	}
	return out
}

// checkClock holds the section clock against what its fields must fit together to.
func checkClock(d *decoder, c *Clock) {
	if c == nil {
		return
	}
	switch ways := c.ways(); {
	case len(ways) > 1:
		d.fail("clock."+ways[1], "", "clock: time is moved in one way, found %s", strings.Join(ways, " and "))
	case len(ways) == 0:
		d.missing("clock", "", "clock needs one of http, sql, command, header, wait")
	}
	if c.HTTP != nil {
		checkHTTPClock(d, *c.HTTP)
	}
	if c.SQL != nil {
		checkClockSQL(d, *c.SQL)
	}
	if c.Command != nil && len(c.Command.Argv) == 0 {
		d.missing("clock.command", "", "clock.command needs argv, the program and its arguments")
	}
	if c.Header != nil {
		if err := headerOK(c.Header.Name, ""); err != nil {
			d.missing("clock.header", "for example `header: {name: Test-Now, format: rfc3339}`", "clock.header needs the name of a header")
		}
	}
	checkNow(d, c)
}

func checkHTTPClock(d *decoder, r Request) {
	const hint = "put it where the target reads by how much its time is to move"
	if r.Line == "" {
		d.missing("clock.http", "for example `request: POST /admin/clock`", "clock.http needs a request line")
	}
	if !r.Mentions("duration") && !r.Mentions("seconds") {
		d.missing("clock.http", hint, "clock.http: {{duration}} or {{seconds}} must stand in the request")
	}
}

func checkClockSQL(d *decoder, c ClockSQL) {
	const at = "clock.sql"
	if c.DSN == "" {
		d.missing(at, "", "%s needs a dsn", at)
	}
	if (c.Query == "") == (len(c.Statements) == 0) {
		d.missing(at, "", "%s needs either a query with its args, or statements", at)
	}
	moves := false
	for i, s := range c.All() {
		moves = moves || anyMentions(s.Args, "duration") || anyMentions(s.Args, "seconds")
		if s.Query == "" {
			d.missing(item(at+".statements", i), "", "%s needs a query", item(at+".statements", i))
		}
		if len(templateNames(s.Query)) > 0 {
			d.fail(at, "write a placeholder ($1 or ?) and the template under args", "%s: a query is passed as it is", at)
		}
	}
	if !moves {
		d.missing(at, "for example `args: [\"{{seconds}}\", \"{{key}}\"]`", "%s: {{duration}} or {{seconds}} must stand in args", at)
	}
}

func checkNow(d *decoder, c *Clock) {
	n := c.Now
	if n == nil {
		return
	}
	const at = "clock.now"
	switch {
	case (n.Line == "") == (n.SQL == nil):
		d.missing(at, "", "%s needs either a request or sql", at)
	case n.Line != "" && n.At == "":
		d.missing(at, "for example `at: $.now` or `at: header:Date`", "%s needs at, the place of the time in the answer", at)
	case n.SQL != nil && (n.SQL.DSN == "" || n.SQL.Query == ""):
		d.missing(at+".sql", "", "%s.sql needs a dsn and a query", at)
	case c.Wait:
		d.fail(at, "", "%s: time that really passes need not be read", at)
	}
	checkID(d, at+".at", n.At)
}

// clockRequests lists the request lines of the section.
func clockRequests(c *Clock) []placedLine {
	if c == nil {
		return nil
	}
	var out []placedLine
	if c.HTTP != nil {
		out = append(out, placedLine{"clock.http.request", c.HTTP.Line})
	}
	if c.Now != nil {
		out = append(out, placedLine{"clock.now.request", c.Now.Line})
	}
	return out
}

// clockHeaders lists the headers of the section.
func clockHeaders(c *Clock) []placedHeaders {
	if c == nil {
		return nil
	}
	var out []placedHeaders
	if c.HTTP != nil {
		out = append(out, placedHeaders{"clock.http.headers", c.HTTP.Headers})
	}
	if c.Now != nil {
		out = append(out, placedHeaders{"clock.now.headers", c.Now.Headers})
	}
	return out
}

// checkRetry wants delays that grow.
func checkRetry(d *decoder, s Schedule) {
	for i, delay := range s {
		if delay <= 0 || i > 0 && delay <= s[i-1] {
			d.fail("retry", "each is counted from the first attempt: 30s, 5m, 1h", "retry: delays after the first attempt must grow; %s does not", delay)
			return
		}
	}
}
