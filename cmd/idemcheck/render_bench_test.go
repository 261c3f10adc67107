//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
)

// large writes the events of a run of n cases with five exchanges each, of the size that the reference's have.
func large(tb testing.TB, n int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "events.ndjson")
	f, err := os.Create(path)
	require.NoError(tb, err)
	stream := reports.NewStream("large", "", nil, reports.NDJSON(f))
	stream.Emit(reports.Event{Kind: reports.KindRunStarted, RunStarted: &reports.RunStarted{Tool: "idemcheck", Target: "orders", Profile: "ietf-draft-07"}})
	emit := func(id string, e reports.Event) {
		e.Case = id
		stream.Emit(e)
	}
	for i := range n {
		id := fmt.Sprintf("case-%05d", i)
		emit(id, reports.Event{Kind: reports.KindCasePlanned, CasePlanned: &reports.CasePlanned{ID: id, Title: "The same request again, " + id, Feature: "Replay", Level: "must", URI: "replay.feature:1"}})
	}
	for i := range n {
		id := fmt.Sprintf("case-%05d", i)
		emit(id, reports.Event{Kind: reports.KindCaseStarted})
		for x := range 5 {
			emit(id, reports.Event{Kind: reports.KindExchange, Exchange: exchangeOf(i, x)})
		}
		found := 1 + i%100/99
		ended := reports.CaseEnded{Verdict: reports.Pass, Records: []reports.Tally{{Observer: "orders", Expected: "1", Found: &found}}}
		if found > 1 {
			emit(id, reports.Event{Kind: reports.KindFinding, Finding: &reports.Finding{Kind: reports.Duplicate, Question: reports.QuestionRecords, Level: "must", Message: "2 records exist where 1 is right"}})
			ended.Verdict, ended.Broken, ended.Reason = reports.Fail, "must", "duplicate: 2 records exist where 1 is right"
		}
		emit(id, reports.Event{Kind: reports.KindCaseEnded, CaseEnded: &ended})
	}
	stream.Emit(reports.Event{Kind: reports.KindRunEnded, RunEnded: &reports.RunEnded{Exit: exitBroken}})
	require.NoError(tb, stream.Err())
	require.NoError(tb, f.Close())
	return path
}

func exchangeOf(i, x int) *reports.Exchange {
	at := float64(i*100 + x*10)
	wrote, first := at+1, at+5
	header := map[string][]string{"Content-Type": {"application/json"}, "Idempotency-Key": {"5c1e7a52-7a0e-4f0c-9d2e-0d6f5a9b1c3d"}, "Date": {"Wed, 04 Mar 2026 05:06:07 GMT"}}
	body := fmt.Sprintf(`{"event":"E204-%d","account":"A18","revision":"P3","note":"%s"}`, i, strings.Repeat("check the limits ", 8))
	return &reports.Exchange{
		Name: fmt.Sprint("send ", x), Seq: 5*i + x, Conn: 5*i + x, Operation: "create", Key: "5c1e7a52-7a0e-4f0c-9d2e-0d6f5a9b1c3d", Purpose: reports.PurposeAttempt,
		Method: "POST", URL: "http://127.0.0.1:40811/v1/tasks", Header: header, Body: reports.Text{Text: body, Size: int64(len(body))},
		Proto: "HTTP/1.1", Began: at, Wrote: &wrote, FirstByte: &first, Ended: at + 6, Status: 201, Answer: header,
		Content: reports.Text{Text: body, Size: int64(len(body))}, ID: fmt.Sprint("D", i), Disposition: reports.Created,
		Curl: "curl -sS -i -X POST http://127.0.0.1:40811/v1/tasks --data-raw '" + body + "'",
	}
}

// BenchmarkRender makes each report of 10,000 cases with five exchanges each, by the command in a process of its own, and
// gives the time and the most memory that it took.
func BenchmarkRender(b *testing.B) {
	events := large(b, 10_000)
	self, err := os.Executable()
	require.NoError(b, err)
	program := filepath.Join(b.TempDir(), "idemcheck")
	require.NoError(b, os.Symlink(self, program))
	for _, format := range []string{"html", "junit", "markdown", "json", "tap", "badge", "annotations"} {
		b.Run(format, func(b *testing.B) {
			var most int64
			var busy time.Duration
			for b.Loop() {
				cmd := exec.Command(program, "report", "render", events, "--report", format+"="+filepath.Join(b.TempDir(), "out"))
				out, err := cmd.CombinedOutput()
				require.NoError(b, err, "%s", out)
				busy += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
				most = max(most, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
			}
			b.ReportMetric(float64(most)/1024, "MB") // Linux counts it in KiB
			b.ReportMetric(busy.Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/op")
		})
	}
}
