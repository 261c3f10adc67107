package container

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestObserversGetTheAddressesOfServices(t *testing.T) {
	t.Parallel()
	written := &targets.Target{Name: "orders", Observers: []targets.Observer{
		{Name: "orders", SQL: &targets.SQLQuery{DSN: "postgres://o:s@{{services.database}}/orders", Args: targets.Strings{"{{marker}}"}}},
		{Name: "mails", Command: &targets.CommandCall{
			Argv: targets.Strings{"mails", "{{services.mail}}", "{{marker}}"}, Env: map[string]string{"AT": "{{services.mail}}", "OF": "{{tenant}}"}}},
		{Name: "answers", Answers: true},
	}}
	got, err := withAddresses(written, map[string]string{"database": "127.0.0.1:20001", "mail": "127.0.0.1:20002"})
	require.NoError(t, err)
	assert.Equal(t, &targets.SQLQuery{DSN: "postgres://o:s@127.0.0.1:20001/orders", Args: targets.Strings{"{{marker}}"}}, got.Observers[0].SQL)
	assert.Equal(t, &targets.CommandCall{Argv: targets.Strings{"mails", "127.0.0.1:20002", "{{marker}}"},
		Env: map[string]string{"AT": "127.0.0.1:20002", "OF": "{{tenant}}"}}, got.Observers[1].Command)
	assert.True(t, got.Observers[2].Answers)
	assert.Equal(t, "postgres://o:s@{{services.database}}/orders", written.Observers[0].SQL.DSN, "the target as written stays")
	assert.Equal(t, "{{services.mail}}", written.Observers[1].Command.Argv[1])
	assert.Equal(t, "{{services.mail}}", written.Observers[1].Command.Env["AT"])
}

func TestObserversThatNameNoService(t *testing.T) {
	t.Parallel()
	for words, o := range map[string]targets.Observer{
		"observer o: dsn: {{services.db}}":    {Name: "o", SQL: &targets.SQLQuery{DSN: "{{services.db}}"}},
		"observer o: argv: {{services.db}}":   {Name: "o", Command: &targets.CommandCall{Argv: targets.Strings{"{{services.db}}"}}},
		"observer o: env.AT: {{services.db}}": {Name: "o", Command: &targets.CommandCall{Env: map[string]string{"AT": "{{services.db}}"}}},
	} {
		_, err := withAddresses(&targets.Target{Observers: []targets.Observer{o}}, nil)
		assert.ErrorContains(t, err, words)
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"":                                "http://127.0.0.1:20001",
		"http://127.0.0.1:{{port}}":       "http://127.0.0.1:20001",
		"https://localhost:{{port}}/v1/":  "https://localhost:20001/v1",
		"http://127.0.0.1:8080":           "",
		"http://staging.example:{{port}}": "",
		"http://{{host}}":                 "",
	} {
		got, err := baseURL(written, "127.0.0.1:20001")
		assert.Equal(t, want, got, written)
		assert.Equal(t, want == "", err != nil, "%s: %v", written, err)
	}
}

func TestTailKeepsWholeLines(t *testing.T) {
	t.Parallel()
	out := &tail{}
	for range 3 {
		_, err := out.Write([]byte(strings.Repeat("a secret\n", 4000)))
		require.NoError(t, err)
	}
	assert.LessOrEqual(t, len(out.String()), maxLogs)
	assert.Greater(t, len(out.String()), maxLogs-10)
	assert.True(t, strings.HasPrefix(out.String(), "a secret\n"), "half a secret is not known as one")
	assert.Equal(t, "a secret\na secret", out.last(2))
	assert.Empty(t, (&tail{}).last(2))
}

func TestPlainNames(t *testing.T) {
	t.Parallel()
	s := &site{id: "ABC"}
	assert.Equal(t, "idemcheck-abc-service-data-base-1", s.named("service Data_Base/1!"))
	assert.Equal(t, "idemcheck-abc", s.named("订单"))
	assert.Equal(t, "idemcheck-abc-"+strings.Repeat("o", 40), s.named(strings.Repeat("o", 100)))
}
