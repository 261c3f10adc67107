package targets

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exampleEnv holds what the examples ask for.
func exampleEnv(name string) (string, bool) {
	v, ok := map[string]string{
		"STAGING_URL": "https://staging.example.com/api", "STAGING_TOKEN": "tok_staging_9f2c",
		"STAGING_DATABASE_URL": "postgres://reader:s3cr%2Ft@db.example.com/orders", "STRIPE_KEY": "sk_test_4eC39HqLyj",
	}[name]
	return v, ok
}

func TestExamplesLoad(t *testing.T) {
	t.Parallel()
	names := ExampleNames()
	assert.Equal(t, []string{"orders-postgres", "orders-process", "orders-staging", "reference", "stripe-v1"}, names)
	for _, name := range names {
		data, err := Example(name)
		require.NoError(t, err)
		target, err := Parse(name+".yaml", data, exampleEnv)
		require.NoError(t, err)
		assert.NoError(t, target.CheckRemote(false), name)
		base := cmp.Or(target.URL, "http://127.0.0.1:8080") // idemcheck finds an address where it starts the target
		for _, op := range target.Operations {
			a, err := op.Build(base, target.Headers, sampleVars())
			require.NoError(t, err, "%s: %s", name, op.Name)
			t.Log(a.Method, a.URL, a.Header, string(a.Body))
		}
	}
}

func sampleVars() Vars {
	v := Vars{}
	for _, name := range VarNames() {
		v[name] = name + " 1"
	}
	return v
}
