package observe_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/smtp"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

func openSink(t *testing.T, s targets.Sink) observe.Listener {
	t.Helper()
	l, ok := open(t, targets.Observer{Name: "mails", Sink: &s}, observe.Deps{}).(observe.Listener)
	require.True(t, ok)
	return l
}

func post(t *testing.T, l observe.Listener, path, body string) {
	t.Helper()
	r, err := http.Post("http://"+l.Addr()+path, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, http.StatusOK, r.StatusCode)
}

func mail(t *testing.T, l observe.Listener, text string) {
	t.Helper()
	to := []string{"a@example.com", "b@example.com"}
	require.NoError(t, smtp.SendMail(l.Addr(), nil, "target@example.com", to, []byte(strings.ReplaceAll(text, "\n", "\r\n"))))
}

func TestSinkHTTP(t *testing.T) {
	t.Parallel()
	l := openSink(t, targets.Sink{HTTP: "127.0.0.1:0", ID: "$.id", Ref: "$.data.task"})
	post(t, l, "/hook", `{"id":"W1","data":{"task":"D7","note":"for m-1"}}`)
	post(t, l, "/hook", `{"id":"W1","data":{"task":"D7","note":"for m-1"}}`)
	post(t, l, "/hook?for=m%2d1", `{"id":2}`)
	post(t, l, "/hook", `{"note":"m-2"}`)

	got := l.Count(t.Context(), marked("m-1"))
	assert.Empty(t, got.Err)
	assert.Equal(t, []string{"W1", "W1", "2"}, got.IDs)
	assert.Equal(t, []string{"D7", "D7", ""}, got.Refs)
	assert.Equal(t, 3, got.Count)
	assert.Equal(t, "message 4 has no id at $.id", l.Count(t.Context(), marked("m-2")).Err)
	assert.Zero(t, l.Count(t.Context(), marked("m-3")).Count)
	assert.Equal(t, "a sink counts by the marker, and there is none", l.Count(t.Context(), observe.Query{}).Err)
}

func TestSinkHTTPHeaders(t *testing.T) {
	t.Parallel()
	l := openSink(t, targets.Sink{HTTP: "127.0.0.1:0", ID: "header:webhook-id"})
	r, err := http.NewRequest(http.MethodPost, "http://"+l.Addr(), strings.NewReader("text=to+m%2D1"))
	require.NoError(t, err)
	r.Header.Set("Webhook-Id", "W9")
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	assert.Equal(t, []string{"W9"}, l.Count(t.Context(), marked("m-1")).IDs)
}

func TestSinkHTTPForgetsHalfCalls(t *testing.T) {
	t.Parallel()
	l := openSink(t, targets.Sink{HTTP: "127.0.0.1:0"})
	c, err := net.Dial("tcp", l.Addr())
	require.NoError(t, err)
	_, err = io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nm-1")
	require.NoError(t, err)
	require.NoError(t, c.(*net.TCPConn).CloseWrite())
	_, _ = io.ReadAll(c) // until the sink has given the call up
	require.NoError(t, c.Close())
	assert.Zero(t, l.Count(t.Context(), marked("m-1")).Count)
}

func TestSinkTooLong(t *testing.T) {
	t.Parallel()
	l := openSink(t, targets.Sink{HTTP: "127.0.0.1:0"})
	post(t, l, "/", "m-1"+strings.Repeat(" ", 4<<20))
	assert.Equal(t, 1, l.Count(t.Context(), marked("m-1")).Count)
	assert.Equal(t, "message 1 is longer than 1048576 bytes: the marker may stand in what was not kept", l.Count(t.Context(), marked("m-2")).Err)
}

func TestSinkSMTP(t *testing.T) {
	t.Parallel()
	l := openSink(t, targets.Sink{SMTP: ":0", Ref: "header:X-Task"})
	assert.True(t, strings.HasPrefix(l.Addr(), "127.0.0.1:"), l.Addr())
	const quoted = "Message-ID: <q@x>\nX-Task: D2\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n" +
		"Content-Transfer-Encoding: quoted-printable\n\nThe review m=\n-1 is f=C3=BCr you.\n"
	mail(t, l, "Message-ID: <p@x>\nX-Task: D1\nSubject: plain\n\nfor m-1\n")
	mail(t, l, quoted)
	mail(t, l, "Subject: =?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte("for m-1"))+"?=\n\nhello\n")
	mail(t, l, "Message-ID: <b@x>\nContent-Type: multipart/alternative; boundary=XX\n\n--XX\nContent-Type: text/html\n"+
		"Content-Transfer-Encoding: base64\n\n"+base64.StdEncoding.EncodeToString([]byte("<p>for m-1</p>"))+"\n--XX--\n")
	mail(t, l, "Message-ID: <f@x>\nContent-Type: multipart/mixed; boundary=YY\n\n--YY\nContent-Type: message/rfc822\n\n"+quoted+"\n--YY--\n")
	mail(t, l, "no header at all, m-1")
	mail(t, l, "Subject: other\n\nfor m-2\n")

	got := l.Count(t.Context(), marked("m-1"))
	assert.Empty(t, got.Err)
	assert.Equal(t, []string{"p@x", "q@x", "#3", "b@x", "f@x", "#6"}, got.IDs)
	assert.Equal(t, []string{"D1", "D2", "", "", "", ""}, got.Refs)
}

func TestSinkSMTPTooLong(t *testing.T) {
	t.Parallel()
	l := openSink(t, targets.Sink{SMTP: "127.0.0.1:0"})
	mail(t, l, "Subject: long\n\n"+strings.Repeat(strings.Repeat("x", 70)+"\n", 20_000))
	assert.Contains(t, l.Count(t.Context(), marked("m-1")).Err, "message 1 is longer")
}

func TestSinkFull(t *testing.T) {
	t.Parallel()
	l := openSink(t, targets.Sink{HTTP: "127.0.0.1:0"})
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			// One connection for many calls, without a client that could repeat one.
			c, err := net.Dial("tcp", l.Addr())
			if !assert.NoError(t, err) {
				return
			}
			defer func() { _ = c.Close() }()
			answers := bufio.NewReader(c)
			for range 1000 {
				_, err = fmt.Fprintf(c, "POST /%d HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nm-1", i)
				assert.NoError(t, err)
				_, err = http.ReadResponse(answers, nil)
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	assert.Equal(t, 10_000, l.Count(t.Context(), marked("m-1")).Count)
	post(t, l, "/", "m-1")
	assert.Equal(t, "the sink is full: it keeps 10000 messages, and 1 more came", l.Count(t.Context(), marked("m-1")).Err)
}

func TestSinkCloses(t *testing.T) {
	t.Parallel()
	for _, s := range []targets.Sink{{HTTP: "127.0.0.1:0"}, {SMTP: "127.0.0.1:0"}} {
		l := openSink(t, s)
		_, err := observe.Open(t.Context(), targets.Observer{Sink: &targets.Sink{HTTP: l.Addr()}}, observe.Deps{})
		require.Error(t, err, "the address is in use")
		conn, err := net.Dial("tcp", l.Addr())
		require.NoError(t, err)
		defer conn.Close()
		require.NoError(t, l.Close())
		require.NoError(t, l.Close())
		require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
		_, err = io.ReadAll(conn)
		assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "what was connected is so no longer") // another sink may have the port by now
	}
}

func TestSinkOpenFindsMistakes(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]targets.Sink{
		"one of http and smtp must be set": {},
		"sink: one of http and smtp":       {HTTP: ":0", SMTP: ":0"},
		"must be host:port":                {HTTP: "8025"},
		"a mail is no JSON":                {SMTP: ":0", Ref: "$.id"},
		"id:":                              {HTTP: ":0", ID: "x"},
	} {
		_, err := observe.Open(t.Context(), targets.Observer{Sink: &s}, observe.Deps{})
		assert.ErrorContains(t, err, want)
	}
}
