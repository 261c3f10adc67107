package intake

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func ordersDocument(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/orders.yaml")
	require.NoError(t, err)
	return data
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	d, err := OpenAPI(ordersDocument(t), OpenAPIOptions{Operation: "createOrder"})
	require.NoError(t, err)
	places := d.Places(d.Wanted())
	require.NotEmpty(t, places)
	assert.Equal(t, Place{"/reference", "/note"}, places[0])
	target, err := d.Marked(places[0]).Target("t.yaml", env("API_TOKEN", "s3cr3t"))
	require.NoError(t, err)
	assert.Equal(t, "orders-api", target.Name)
	assert.Equal(t, "https://eu.vendor.example", target.URL)
	assert.Equal(t, "X-Idempotency-Key", target.Profile.Key.Name)
	op := target.Operations[0]
	a, err := op.Build(target.URL, target.Headers, targets.Vars{"marker": "M", "revision": "R"})
	require.NoError(t, err)
	assert.Equal(t, "POST", a.Method)
	assert.Equal(t, "https://eu.vendor.example/v1/orders", a.URL)
	assert.Equal(t, `{"amount":101,"currency":"EUR","due":"2030-01-31","note":"some note R","reference":"M"}`, string(a.Body))
	assert.Equal(t, "Bearer s3cr3t", a.Header.Get("Authorization"))
	assert.Equal(t, "2026-01-01", a.Header.Get("X-Api-Version"))
	assert.Equal(t, "$.order.uuid", op.ID)
	assert.Equal(t, "GET /v1/orders/{{id}}", op.Read)
	assert.Equal(t, "DELETE /v1/orders/{{id}}", op.Delete)
	list := target.Observers[0].List
	assert.Equal(t, "GET /v1/orders?reference={{marker}}", list.Line)
	assert.Equal(t, "$.data[*]", list.Items)
	assert.Equal(t, "$.uuid", list.ID)
	text, err := d.Marked(places[0]).YAML()
	require.NoError(t, err)
	for _, said := range []string{"made from the schema", "first one of the document", "environment variable API_TOKEN", "guessed: reference finds"} {
		assert.Contains(t, string(text), said)
	}
}

func TestOpenAPIForm(t *testing.T) {
	t.Parallel()
	d, err := OpenAPI(ordersDocument(t), OpenAPIOptions{Operation: "POST /accounts/{accountId}/notes", URL: "http://127.0.0.1:8080/api/"})
	require.NoError(t, err)
	target, err := d.Marked(d.Places("")[0]).Target("t.yaml", env("API_KEY", "key-1", "PATH_ACCOUNTID", "acc_18"))
	require.NoError(t, err)
	a, err := target.Operations[0].Build(target.URL, target.Headers, targets.Vars{"marker": "M", "revision": "R"})
	require.NoError(t, err)
	assert.Equal(t, "http://127.0.0.1:8080/api/accounts/acc_18/notes", a.URL)
	assert.Equal(t, "key-1", a.Header.Get("X-Api-Key"))
	assert.Equal(t, "note=M%20R", string(a.Body))
	assert.Equal(t, targets.KeyIn("form"), target.Profile.Key.In)
	assert.Empty(t, target.Observers)
}

func TestOpenAPIRefusals(t *testing.T) {
	t.Parallel()
	whole := string(ordersDocument(t))
	for name, c := range map[string]struct {
		document  string
		operation string
		says      string
	}{
		"an unknown operation":    {whole, "createOrdr", `did you mean "createOrder"?`},
		"no operation":            {whole, "", "say which operation creates (--operation); there are: createNote, createOrder"},
		"an operation that reads": {whole, "listOrders", `no operation "listOrders" that creates`},
		"a broken reference":      {strings.Replace(whole, "#/components/schemas/Base", "#/components/schemas/Gone", 1), "createOrder", "Gone"},
		"another file":            {strings.Replace(whole, "#/components/schemas/Base", "base.yaml", 1), "createOrder", "external reference"},
		"no server":               {strings.Replace(whole, "https://{region}.vendor.example", "", 1), "createOrder", "--url"},
		"Swagger 2":               {"swagger: '2.0'\npaths: {}", "", "Swagger 2"},
		"no paths":                {"openapi: 3.0.0\ninfo: {title: x, version: '1'}\npaths: {}", "", "no paths"},
		"no document":             {"- a\n- b", "", "read the OpenAPI document"},
		"tabs":                    {"openapi: 3.0.0\n\tpaths: {}", "", "read the OpenAPI document"},
		"10 MB":                   {"openapi: 3.0.0\n# " + strings.Repeat("x", 10<<20), "", "it has 10 MB, and at most 8 MB are read"},
		"a bomb of anchors":       {bomb(), "", "read the OpenAPI document"},
		"nested without end":      {"openapi: 3.0.0\nx-a: " + strings.Repeat("[", 200_000), "", "read the OpenAPI document"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := OpenAPI([]byte(c.document), OpenAPIOptions{Operation: c.operation})
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.says)
			assert.NotContains(t, err.Error(), "\n")
			assert.Less(t, len(err.Error()), 500)
		})
	}
}

// bomb is YAML in which each line stands for ten of the one before.
func bomb() string {
	var b strings.Builder
	b.WriteString("openapi: 3.0.0\nx0: &x0 [lol, lol]\n")
	for i := range 12 {
		fmt.Fprintf(&b, "x%d: &x%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d,", i), 10), ","))
	}
	return b.String()
}

func FuzzOpenAPI(f *testing.F) {
	f.Add(ordersDocument(f), "createOrder")
	f.Add([]byte(`{"openapi":"3.0.0","info":{"title":"x","version":"1"},"servers":[{"url":"http://127.0.0.1:1"}],"paths":{"/o":{"post":{"responses":{}}}}}`), "")
	f.Add([]byte("openapi: 3.0.0\npaths: {/o: {post: {requestBody: {$ref: '#/paths/~1o/post/requestBody'}}}}"), "POST /o")
	f.Fuzz(func(t *testing.T, data []byte, operation string) {
		d, err := OpenAPI(data, OpenAPIOptions{Operation: operation, URL: "http://127.0.0.1:1"})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("more than one line: %q", err)
			}
			return
		}
		for _, p := range append(d.Places(d.Wanted()), Place{}) {
			if _, err := d.Marked(p).YAML(); err != nil {
				t.Fatalf("a draft that cannot be written: %v", err)
			}
		}
	})
}
