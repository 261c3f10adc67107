package targets

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestQueryKeepsNumbers(t *testing.T) {
	t.Parallel()
	body := []byte(`{"a":[{"id":12345678901234567890},{"id":1e3},{"id":1.50},{"id":1.5e-3},{"id":1e999999999},{"id":"x"},{"id":null},{"id":true}]}`)
	hits, err := Query("$.a[*].id", body)
	require.NoError(t, err)
	assert.Equal(t, []any{json.Number("12345678901234567890"), json.Number("1000"), json.Number("1.50"), json.Number("0.0015"),
		json.Number("1e999999999"), "x", nil, true}, hits)
	text, ok := QueryText("$.a[7].id", body)
	assert.True(t, ok)
	assert.Equal(t, "true", text)
	_, ok = QueryText("$.a", body)
	assert.False(t, ok, "a list is no text")
	none, err := Query("$.b", body)
	assert.NoError(t, err)
	assert.Empty(t, none)
}

func TestQueryErrors(t *testing.T) {
	t.Parallel()
	for path, body := range map[string]string{"$[": "{}", "id": "{}", "$.a": "<html>", "$.b": "{} {}", "$.c": "", "$.d": "{\"d\":1"} {
		_, err := Query(path, []byte(body))
		assert.ErrorContains(t, err, "query "+path+": ", path)
	}
}

func TestRecordID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id, location, content, want string
	}{
		{"$.id", "", `{"id":"D77"}`, "D77"},
		{"$.id", "", `{"id":77}`, "77"},
		{"$.id", "", `{"id":{"x":1}}`, ""},
		{"$.id", "", `not json`, ""},
		{"$..id", "", strings.Repeat("[", 20000), ""},
		{"$.id", "", "", ""},
		{"", "", `{"id":"D77"}`, ""},
		{"header:Location", "/v1/tasks/D77", "", "D77"},
		{"header: location", "https://h/v1/tasks/D%2077/?x=/9#/y", "", "D 77"},
		{"header:Location", "https://h", "", ""},
		{"header:Location", "", "", ""},
		{"header:Location", "/%zz", "", "%zz"},
	} {
		x := Exchange{Answer: http.Header{}, Content: []byte(c.content)}
		x.Answer.Set("Location", c.location)
		assert.Equal(t, c.want, Operation{ID: c.id}.RecordID(x), "%s in %s %.20s", c.id, c.location, c.content)
	}
	assert.Empty(t, Operation{ID: "header:Location"}.RecordID(Exchange{}))
}

func TestCodeMatches(t *testing.T) {
	t.Parallel()
	code := &Code{At: "$.code", In: Strings{"held", "7"}}
	assert.True(t, CodeMatches(nil, nil))
	assert.True(t, CodeMatches(code, []byte(`{"code":"held"}`)))
	assert.True(t, CodeMatches(code, []byte(`{"code":7}`)))
	assert.False(t, CodeMatches(code, []byte(`{"code":"other"}`)))
	assert.False(t, CodeMatches(code, []byte(`{"code":["held"]}`)))
	assert.False(t, CodeMatches(code, []byte(`<html>`)))
	assert.True(t, CodeMatches(&Code{At: "$.code"}, []byte(`{"code":"any"}`)))
	assert.False(t, CodeMatches(&Code{At: "$.code"}, []byte(`{}`)))
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"0": 0, " 7 ": 7 * time.Second, now.Add(time.Minute).Format(http.TimeFormat): time.Minute,
		now.Add(-time.Minute).Format(http.TimeFormat): 0, "": -1, "soon": -1, "-1": -1, "99999999999999": -1,
	} {
		got, said := Exchange{Answer: http.Header{"Retry-After": {text}}}.RetryAfter(now)
		assert.Equal(t, want >= 0, said, text)
		assert.Equal(t, max(want, 0), got, text)
	}
}
