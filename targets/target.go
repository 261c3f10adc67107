package targets

import (
	"maps"
)

// Target is the system under test, as its YAML file describes it, with the profile merged under the file's own values.
type Target struct {
	File       string            `yaml:"-"` // where it was read from, for messages
	Name       string            `yaml:"name"`
	ProfileRef string            `yaml:"profile"` // the name of a built-in profile, or the path of a profile file
	URL        string            `yaml:"url"`
	Remote     bool              `yaml:"remote"` // needed for anything that is not loopback
	Headers    map[string]string `yaml:"headers"`
	Timeout    Duration          `yaml:"timeout"` // of one exchange; default 30s
	Limits     Limits            `yaml:"limits"`
	TLS        TLS               `yaml:"tls"`
	H2C        bool              `yaml:"h2c"` // it speaks HTTP/2 without TLS, without being asked (prior knowledge, RFC 9113 section 3.3)

	// Overrides of the profile. What stands here is documented.
	Key              *Key           `yaml:"key"`
	Replay           *Clause        `yaml:"replay"`
	Mismatch         *Clause        `yaml:"mismatch"`
	InFlight         *Clause        `yaml:"in_flight"`
	MismatchInFlight *Clause        `yaml:"mismatch_in_flight"`
	Missing          *Clause        `yaml:"missing"`
	Failures         *Failures      `yaml:"failures"`
	Retention        *Retention     `yaml:"retention"`
	Expired          *Clause        `yaml:"expired"`
	Scope            *Scope         `yaml:"scope"`
	StoreDown        *Clause        `yaml:"store_down"`
	Async            *Async         `yaml:"async"`
	Refused          *Refused       `yaml:"refused"`
	Delivery         *Delivery      `yaml:"delivery"`
	ContentFilter    *ContentFilter `yaml:"content_filter"`
	Revision         string         `yaml:"revision"` // "new_operation": a new payload revision is a new operation, an explicit choice

	Values     Values            `yaml:"values"`
	Operations Operations        `yaml:"operations"` // in file order; the first is the main operation
	Approve    *Request          `yaml:"approve"`
	Held       *Held             `yaml:"held"`
	Batch      *Batch            `yaml:"batch"`
	Receiver   *Receiver         `yaml:"receiver"`
	Exhaust    *Request          `yaml:"exhaust"` // after it, nothing more may be created for {{target_record}} (a limit is reached)
	Relieve    *Request          `yaml:"relieve"` // after it, more may be created for {{target_record}} again
	Callers    map[string]Caller `yaml:"callers"` // credentials that lack something
	Observers  []Observer        `yaml:"observers"`
	Namespaces Namespaces        `yaml:"namespaces"`
	Replicas   []string          `yaml:"replicas"` // other addresses of the same service
	Run        *Run              `yaml:"run"`
	Clock      *Clock            `yaml:"clock"`
	Retry      Schedule          `yaml:"retry"` // when its senders try again, counted from the first attempt
	Switches   Switches          `yaml:"switches"`
	Known      []Known           `yaml:"known"`
	Lock       Duration          `yaml:"lock"`    // how long an in-flight lock lives at most, where requests may last longer
	Settles    Duration          `yaml:"settles"` // how long an in-progress answer may last at most; default 15s

	Profile Profile  `yaml:"-"` // the merged contract; every reader uses this one
	Secrets *Secrets `yaml:"-"` // what must never be shown
}

// Limits bound what a run may do to the target.
type Limits struct {
	Rate    Rate `yaml:"rate"`    // requests, "20/s" or "100/m"; zero: no limit
	Records int  `yaml:"records"` // records created at most; default 2000
}

// Rate is a number of requests per second; the zero value means no limit.
type Rate float64

// TLS is how the target's certificate is checked and which one is presented.
type TLS struct {
	CA         string `yaml:"ca"`   // PEM file of further authorities
	Cert       string `yaml:"cert"` // PEM file of the client certificate
	Key        string `yaml:"key"`  // PEM file of its key
	SkipVerify bool   `yaml:"skip_verify"`
	ServerName string `yaml:"server_name"`
}

// Values are things that must exist in the target already. TargetRecord lists ids the symbols A18, A81 … stand for, in
// the order in which a case first uses them.
type Values struct {
	TargetRecord Strings `yaml:"target_record"`
	Event        Strings `yaml:"event"`
}

// Request is a template of one request: a request line (`POST /v1/tasks`), headers and a body. {{name}} in any of them
// is replaced when it is rendered.
type Request struct {
	Line    string            `yaml:"request"`
	Headers map[string]string `yaml:"headers"`
	Body    *Body             `yaml:"body"`
}

// Operation is one kind of write the target offers.
type Operation struct {
	Name     string `yaml:"-"`
	Request  `yaml:",inline"`
	ID       string  `yaml:"id"`       // RFC 9535 JSONPath into the answer; or header:Location
	Invalid  *Body   `yaml:"invalid"`  // body members whose change the target refuses
	Large    *Body   `yaml:"large"`    // body members whose change makes a large answer; {{filler}} is a long text
	Material Strings `yaml:"material"` // body members whose change makes a different request; ?name=value: a query that does
	Read     string  `yaml:"read"`     // GET /v1/tasks/{{id}}
	Delete   string  `yaml:"delete"`   // DELETE /v1/tasks/{{id}}
	// Values are further names that its templates use, with what they stand for where a scenario says nothing.
	Values map[string]string `yaml:"values"`
}

// Operations keeps the order of the file.
type Operations []Operation

// Named finds an operation by name; nil when there is none.
func (o Operations) Named(name string) *Operation {
	for i := range o {
		if o[i].Name == name {
			return &o[i]
		}
	}
	return nil
}

// Held is the answer that says: identified, but waiting for an approval.
type Held struct {
	Status Ints  `yaml:"status"`
	Code   *Code `yaml:"code"`
}

// Caller is another credential: headers that replace the target's own.
type Caller struct {
	Headers map[string]string `yaml:"headers"`
	Revoke  *Request          `yaml:"revoke"`  // after it, the credential counts no more; sent with the target's own headers
	Restore *Request          `yaml:"restore"` // after it, it counts again
}

// Namespace is a place where identical ids are another identity: headers and address that replace the target's own.
type Namespace struct {
	URL     string            `yaml:"url"`
	Headers map[string]string `yaml:"headers"`
}

// Namespaces are those that the cases know.
type Namespaces struct {
	OtherTenant     *Namespace `yaml:"other_tenant"`
	TestEnvironment *Namespace `yaml:"test_environment"`
	OtherRegion     *Namespace `yaml:"other_region"`
	OtherPartition  *Namespace `yaml:"other_partition"` // another part of the same account: a ledger, a location, a grant
}

// Given lists the namespaces that the file gives, by their names there.
func (n Namespaces) Given() map[string]*Namespace {
	all := map[string]*Namespace{"other_tenant": n.OtherTenant, "test_environment": n.TestEnvironment,
		"other_region": n.OtherRegion, "other_partition": n.OtherPartition}
	maps.DeleteFunc(all, func(_ string, one *Namespace) bool { return one == nil })
	return all
}

// Observer is one way to count records. Exactly one of List, SQL, Command, Sink and Answers is set.
type Observer struct {
	Name      string       `yaml:"name"`
	Operation string       `yaml:"operation"` // whose records it counts; default: the main operation
	List      *ListCall    `yaml:"list"`
	SQL       *SQLQuery    `yaml:"sql"`
	Command   *CommandCall `yaml:"command"`
	Sink      *Sink        `yaml:"sink"`
	Answers   bool         `yaml:"answers"` // distinct ids in successful answers; weaker, marked inferred
	Settle    Duration     `yaml:"settle"`  // poll until the count was stable for this long; default 0
}

// ListCall counts the items of a list call, page by page.
type ListCall struct {
	Request `yaml:",inline"`
	Items   string `yaml:"items"`  // JSONPath of the items
	ID      string `yaml:"id"`     // JSONPath, within one item, of its id
	Ref     string `yaml:"ref"`    // JSONPath, within one item, of the id of the record it belongs to
	Where   string `yaml:"where"`  // keep only items whose JSON text contains this, e.g. "{{marker}}"
	Next    string `yaml:"next"`   // JSONPath of the next page's URL or cursor; or "link" for the Link header
	Cursor  string `yaml:"cursor"` // query parameter that takes the value found at Next; empty: Next is a URL
	Page    string `yaml:"page"`   // query parameter that takes page numbers 1, 2, 3 … until a page is empty
}

// SQLQuery counts by a query of the target's database: one number, or one column of ids, or two (id, ref).
type SQLQuery struct {
	DSN   string  `yaml:"dsn"` // postgres://…, mysql://…, sqlite:FILE
	Query string  `yaml:"query"`
	Args  Strings `yaml:"args"`
}

// CommandCall counts by a command of the user's: it prints a number or a JSON array of ids. It is run without a shell.
type CommandCall struct {
	Argv Strings           `yaml:"argv"`
	Env  map[string]string `yaml:"env"`
}

// Sink is a listener of idemcheck's own that the target is told to call; calls that contain the marker are counted.
type Sink struct {
	HTTP string `yaml:"http"` // address to listen on, e.g. 127.0.0.1:8025
	SMTP string `yaml:"smtp"`
	ID   string `yaml:"id"`  // JSONPath into an HTTP call's body of its id
	Ref  string `yaml:"ref"` // JSONPath of the id of the record it belongs to
}

// Switches are request headers by which a test target can be made slow, made to fail, or made to refuse.
type Switches struct {
	Slow   map[string]string `yaml:"slow"`   // {{duration}}
	Fail   map[string]string `yaml:"fail"`   // {{status}}: 500, or 504 where that can be had
	Refuse map[string]string `yaml:"refuse"` // {{status}}: 429, 401 or 403
}

// Known is an expected failure that must stay true.
type Known struct {
	Case    string `yaml:"case"`
	Finding string `yaml:"finding"`
	Reason  string `yaml:"reason"`
	Until   string `yaml:"until"` // YYYY-MM-DD
	Line    int    `yaml:"-"`     // in the target file
}
