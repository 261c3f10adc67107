package targets

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBatchBuild(t *testing.T) {
	t.Parallel()
	body, err := NewBody([]byte(`{"tasks":"{{rows}}","of":"{{marker}}"}`))
	require.NoError(t, err)
	row, err := NewBody([]byte(`{"n":"{{row}}","note":"{{marker}} \"{{row}}\""}`))
	require.NoError(t, err)
	b := Batch{Request: Request{Line: "POST /batch", Body: body}, Row: row}
	a, err := b.Build("http://h", nil, Vars{"marker": "m"}, RowsTo(2))
	require.NoError(t, err)
	assert.JSONEq(t, `{"tasks":[{"n":"1","note":"m \"1\""},{"n":"2","note":"m \"2\""}],"of":"m"}`, string(a.Body))
	assert.Equal(t, 200, b.Size())

	b.Body = NewTextBody("begin\n{{rows}}\nend")
	a, err = b.Build("http://h", nil, Vars{"marker": "m"}, RowsTo(2))
	require.NoError(t, err)
	assert.Equal(t, "begin\n{\"n\":\"1\",\"note\":\"m \\\"1\\\"\"}\n{\"n\":\"2\",\"note\":\"m \\\"2\\\"\"}\nend", string(a.Body))

	b.Row = NewTextBody("{{nothing}}")
	_, err = b.Build("http://h", nil, Vars{"marker": "m"}, RowsTo(2))
	assert.ErrorContains(t, err, "row 1")
}
