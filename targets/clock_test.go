package targets

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const smallTarget = `name: orders
url: http://127.0.0.1:8080
operations:
  create-order: {request: POST /orders, body: {reference: "{{marker}}"}, id: $.id}
`

func parseMore(more string) (*Target, error) {
	return Parse("orders.yaml", []byte(smallTarget+more), func(string) (string, bool) { return "", false })
}

func TestClockWays(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]string{
		`clock: {http: {request: POST /clock, body: {advance: "{{duration}}"}}, now: {request: GET /clock, at: $.now}}`:                        "http",
		`clock: {http: {request: "POST /clock?by={{seconds}}"}, now: {request: GET /, at: "header:Date"}}`:                                     "http",
		`clock: {sql: {dsn: "sqlite:x.db", query: "update keys set at = at - ? where key = ?", args: ["{{seconds}}", "{{key}}"]}}`:             "sql",
		`clock: {sql: {dsn: "sqlite:x.db", statements: [{query: "update a set at = at - ?", args: ["{{seconds}}"]}, {query: delete from b}]}}`: "sql",
		`clock: {command: {argv: [faketime, "+{{seconds}}s"]}}`:                                                                                "command",
		`clock: {header: {name: Test-Now, format: http-date}}`:                                                                                 "header",
		`clock: {wait: true}`: "wait",
		`clock: wait`:         "wait",
	} {
		target, err := parseMore(more)
		require.NoError(t, err, more)
		assert.Equal(t, []string{want}, target.Clock.ways(), more)
	}
}

func TestRetrySchedule(t *testing.T) {
	t.Parallel()
	want := Schedule{Duration(30 * time.Second), Duration(5 * time.Minute), Duration(24 * time.Hour)}
	for _, more := range []string{"retry: [30s, 5m, 1d]", `retry: "30s, 5m, 24h"`} {
		target, err := parseMore(more)
		require.NoError(t, err, more)
		assert.Equal(t, want, target.Retry, more)
	}
	for more, complaint := range map[string]string{
		"retry: 30s, 5": `expected a duration such as 500ms, 30s, 24h or 7d, found "5"`,
		"retry: 5m, 5m": "retry: delays after the first attempt must grow; 5m0s does not",
		"retry: {a: 1}": "expected a list, found a mapping",
	} {
		_, err := parseMore(more)
		assert.ErrorContains(t, err, complaint, more)
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 11, 30, 2, 7, 53, 0, time.UTC)
	for _, text := range []string{"2026-11-30T02:07:53Z", "2026-11-30T04:07:53+02:00", "Mon, 30 Nov 2026 02:07:53 GMT", "1796004473",
		"1796004473000", "1796004473000000", "1796004473000000000", "2026-11-30 02:07:53+00", "2026-11-30 02:07:53", " 1796004473.0 "} {
		got, err := ParseTime(text)
		require.NoError(t, err, text)
		assert.WithinDuration(t, want, got, time.Millisecond, text)
	}
	for _, text := range []string{"", "soon", "-5", "NaN", "1e300"} {
		_, err := ParseTime(text)
		assert.Error(t, err, text)
	}
}

func TestClockHeaderText(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 2, 7, 53, 500e6, time.UTC)
	assert.Equal(t, "2026-11-30T02:07:53.5Z", ClockHeader{}.Text(at))
	assert.Equal(t, "Mon, 30 Nov 2026 02:07:53 GMT", ClockHeader{Format: FormatHTTPDate}.Text(at))
	assert.Equal(t, "1796004473", ClockHeader{Format: FormatUnix}.Text(at))
}

func TestClockNowReads(t *testing.T) {
	t.Parallel()
	x := Exchange{Status: 200, Answer: http.Header{"Date": {"Mon, 30 Nov 2026 02:07:53 GMT"}}, Content: []byte(`{"now": 1796004473}`)}
	for _, at := range []string{"$.now", "header:Date"} {
		got, err := ClockNow{At: at}.Read(x)
		require.NoError(t, err, at)
		assert.Equal(t, int64(1796004473), got.Unix(), at)
	}
	_, err := ClockNow{At: "$.then"}.Read(x)
	assert.ErrorContains(t, err, "nothing at $.then")
	_, err = ClockNow{At: "header:Age"}.Read(x)
	assert.Error(t, err)
}

func TestRetentionMerge(t *testing.T) {
	t.Parallel()
	target, err := parseMore("retention: {from: last_use}\nprofile: stripe-v1")
	require.NoError(t, err)
	assert.Equal(t, FromLastUse, target.Profile.Retention.From)
	assert.Positive(t, target.Profile.Retention.Min)
	_, err = parseMore("retention: {from: last-use}")
	assert.ErrorContains(t, err, `"last-use" is neither first_use nor last_use`)
}
