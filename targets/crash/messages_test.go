package crash

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// split reads messages as the proxy does, and gives the labels of the units and what was passed on.
func split(b []byte) (found []string, passed []byte, err error) {
	unit, in, out := newPGUnit(), newInlet(bytes.NewReader(b), func() error { return nil }), &bytes.Buffer{}
	for {
		kind, size, err := pgMessage(in)
		if err != nil {
			return found, out.Bytes(), err
		}
		body, err := in.peek(min(size, maxPeek))
		if err != nil {
			return found, out.Bytes(), err
		}
		if label, ends := unit.add(kind, body[pgHeader:]); ends {
			found = append(found, label)
		}
		if err := in.send(out, size); err != nil {
			return found, out.Bytes(), err
		}
	}
}

func encode(t testing.TB, messages ...pgproto3.FrontendMessage) (b []byte) {
	t.Helper()
	for _, m := range messages {
		var err error
		b, err = m.Encode(b)
		require.NoError(t, err)
	}
	return b
}

func TestUnits(t *testing.T) {
	t.Parallel()
	large := "INSERT INTO big VALUES ('" + strings.Repeat("x", 100_000) + "')"
	sync := &pgproto3.Sync{}
	for want, messages := range map[string][]pgproto3.FrontendMessage{
		"INSERT INTO big":         {&pgproto3.Query{String: large}},
		"prepare INSERT INTO big": {&pgproto3.Parse{Query: large}, sync},
		"function call":           {&pgproto3.FunctionCall{}},
		"describe":                {&pgproto3.Describe{ObjectType: 'P'}, sync},
		"bind":                    {&pgproto3.Bind{}, sync},
		"statement":               {&pgproto3.Bind{PreparedStatement: "x"}, &pgproto3.Execute{}, sync},
		"COPY a|BEGIN":            {&pgproto3.Query{String: "COPY a FROM STDIN"}, &pgproto3.CopyData{Data: []byte("Q")}, &pgproto3.CopyDone{}, &pgproto3.Query{String: "BEGIN"}},
		"COPY a|sync":             {&pgproto3.Query{String: "COPY a FROM STDIN"}, &pgproto3.CopyFail{}, sync},
		"COPY b|BEGIN":            {&pgproto3.Parse{Query: "COPY b FROM STDIN"}, &pgproto3.Bind{}, &pgproto3.Execute{}, sync, &pgproto3.CopyDone{}, sync, &pgproto3.Query{String: "BEGIN"}},
		"BEGIN; INSERT INTO a":    {&pgproto3.Parse{Query: "BEGIN"}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Parse{Query: "INSERT INTO a"}, &pgproto3.Bind{}, &pgproto3.Execute{}, sync},
		"UPDATE a":                {&pgproto3.Parse{Name: "n", Query: "UPDATE a"}, &pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "n"}, &pgproto3.Execute{Portal: "p"}, sync},
		"close|statement":         {&pgproto3.Parse{Name: "n", Query: "UPDATE a"}, &pgproto3.Close{ObjectType: 'S', Name: "n"}, &pgproto3.Flush{}, sync, &pgproto3.Bind{PreparedStatement: "n"}, &pgproto3.Execute{}, sync},
		"DISCARD|statement":       {&pgproto3.Parse{Name: "n", Query: "UPDATE a"}, &pgproto3.Query{String: "DISCARD ALL"}, &pgproto3.Bind{PreparedStatement: "n"}, &pgproto3.Execute{}, sync},
		"a; b; c; d; e; f; …":     {&pgproto3.Query{String: "a; b; c; d; e; f; g; h"}},
	} {
		b := encode(t, messages...)
		found, passed, err := split(b)
		require.ErrorIs(t, err, io.EOF)
		got := strings.Join(found, "|")
		if strings.HasPrefix(want, "close") {
			got = strings.Replace(got, "prepare UPDATE a", "close", 1)
		}
		assert.Equal(t, strings.ToLower(want), strings.ToLower(got))
		assert.Equal(t, b, passed)
	}
}

func TestNamesAreBounded(t *testing.T) {
	t.Parallel()
	unit := newPGUnit()
	for i := range 2 * maxNames {
		name := string(binary.BigEndian.AppendUint32(nil, uint32(i)|0x01010101<<4))
		unit.add('P', []byte(name+"\x00SELECT 1\x00"))
		unit.add('B', []byte(name+"\x00"+name+"\x00"))
		unit.add('E', []byte("\x00"))
	}
	assert.LessOrEqual(t, len(unit.statements), maxNames)
	assert.LessOrEqual(t, len(unit.portals), maxNames)
	assert.Len(t, unit.runs, maxNames)
}

func FuzzMessages(f *testing.F) {
	f.Add(encode(f, &pgproto3.Parse{Name: "a", Query: "INSERT INTO b"}, &pgproto3.Bind{PreparedStatement: "a"}, &pgproto3.Execute{}, &pgproto3.Sync{}))
	f.Add(encode(f, &pgproto3.Query{String: "BEGIN; DEALLOCATE ALL"}, &pgproto3.Close{ObjectType: 'S'}, &pgproto3.CopyDone{}, &pgproto3.Sync{}))
	f.Add([]byte("Q\x00\x00\x00\x03"))
	f.Add([]byte("C\x00\x00\x00\x04"))
	f.Fuzz(func(t *testing.T, b []byte) {
		found, passed, err := split(b)
		assert.Error(t, err)
		assert.True(t, bytes.HasPrefix(b, passed), "nothing is changed")
		for _, label := range found {
			assert.NotEmpty(t, label)
		}
	})
}
