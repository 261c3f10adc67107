package targets

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// pieces gives one piece at each read.
type pieces struct {
	left []string
	read int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.read == len(p.left) {
		return 0, io.EOF
	}
	p.read++
	return copy(b, p.left[p.read-1]), nil
}

// The answer begins with the piece that shows it, and nothing is read on before that is said. An interim answer is none.
func TestWhereAnAnswerBegins(t *testing.T) {
	t.Parallel()
	const hints, final = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	for name, row := range map[string]struct {
		pieces []string
		at     []int
	}{
		"at once":          {[]string{final}, []int{1}},
		"one byte":         {[]string{"H", final[1:]}, []int{1}},
		"after interim":    {[]string{hints, hints, final}, []int{3}},
		"with interim":     {[]string{hints + final}, []int{1}},
		"interim and more": {[]string{hints + "HTTP", final[4:]}, []int{1}},
		"only interim":     {[]string{hints}, nil},
		"nothing":          {nil, nil},
		"no HTTP":          {[]string{"220 hello\r\n"}, []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for way, read := range map[string]func(answerReader, io.Reader) answer{
				"read": answerReader.read, "await": answerReader.await, "halve": answerReader.halve,
			} {
				var at []int
				source := &pieces{left: row.pieces}
				r := answerReader{method: http.MethodPost, maxBody: 1000, now: time.Now}
				r.begun = onlyOnce(func() { at = append(at, source.read) })
				read(r, source)
				assert.Equal(t, row.at, at, way)
			}
		})
	}
	at := 0
	r := answerReader{method: http.MethodPost, maxBody: 1000, now: time.Now, begun: onlyOnce(func() { at++ })}
	r.read(&pieces{left: []string{"HTTP/1.1 101 Switching Protocols\r\n\r\n"}})
	assert.Equal(t, 1, at, "101 looks like an interim answer and is none")
}
