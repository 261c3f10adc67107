package burst_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "target":
		runTarget()
		return
	case "proxy":
		runProxy()
		return
	}
	code := m.Run()
	os.Stdout.WriteString(report.String())
	os.Exit(code)
}

// report is the table at the end of the benchmark.
var report strings.Builder

// windows are the exact windows of the target.
var windows = []time.Duration{0, 50 * time.Microsecond, 200 * time.Microsecond, time.Millisecond}

// benchRounds is how many rounds a cell has; a round through the proxy takes ten times as long.
func benchRounds(jitter bool) int {
	switch {
	case testing.Short():
		return 20
	case jitter:
		return 100
	}
	return 200
}

// BenchmarkArrival measures how close together the requests of a burst arrive at a handler (first to last body read, in
// µs) and how many rounds show a check-then-insert race whose window the target spins through. One round of each
// technique in turn; ns/op means nothing here.
func BenchmarkArrival(b *testing.B) {
	for _, jitter := range []bool{false, true} {
		bench := newBench(b, jitter)
		for _, n := range []int{2, 10, 50} {
			measureN(b, bench, jitter, n)
		}
	}
}

// measureN measures all contenders with n requests, and adds a table.
func measureN(b *testing.B, bench *bench, jitter bool, n int) {
	who := contenders
	if n == 10 {
		if hey, ok := loadTool(b); ok {
			who = append(who[:len(who):len(who)], hey)
		}
	}
	rounds := benchRounds(jitter)
	columns := map[cell]map[string]*sample{}
	cells := benchCells(jitter, n)
	for _, c := range cells {
		columns[c] = bench.run(b, c, who, rounds)
	}
	path := map[bool]string{false: "loopback", true: "jitter of 5 ± 3 ms"}[jitter]
	fmt.Fprintf(&report, "\n%d requests, %s, %d rounds a cell: arrival spread in µs (W = 0), and rounds that show the race\n\n", n, path, rounds)
	head(cells)
	base := columns[cells[0]][who[0].name].at(0.5)
	for _, one := range who {
		spread := columns[cells[0]][one.name]
		row(one.name, spread, base, cells, columns)
		b.Run(fmt.Sprintf("%s/n=%d/%s", strings.Fields(path)[0], n, one.name), func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(micros(spread.at(0.5)), "median-µs")
			b.ReportMetric(micros(spread.at(0.95)), "p95-µs")
			for _, c := range cells {
				b.ReportMetric(columns[c][one.name].share(), "%found-"+c.label())
			}
		})
	}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// benchCells are the windows that are measured. The first one also gives the spread: in the others the target's own
// spinning keeps requests from being read.
func benchCells(jitter bool, n int) []cell {
	var cells []cell
	for _, w := range windows {
		cells = append(cells, cell{jitter, n, w, "body"})
	}
	return append(cells, cell{jitter, n, 0, "header"})
}

// label names a cell in a column.
func (c cell) label() string {
	switch {
	case c.kind == "header":
		return "checks-at-header"
	case c.window == 0:
		return "0"
	}
	return c.window.String()
}

func head(cells []cell) {
	report.WriteString("| technique | median | p95 | of the baseline |")
	for _, c := range cells {
		fmt.Fprintf(&report, " %s |", strings.ReplaceAll(c.label(), "-", " "))
	}
	report.WriteString("\n| --- | --- | --- | --- |" + strings.Repeat(" --- |", len(cells)) + "\n")
}

func row(name string, spread *sample, base time.Duration, cells []cell, columns map[cell]map[string]*sample) {
	fmt.Fprintf(&report, "| %s | %.0f | %.0f | %.2f × |", name, micros(spread.at(0.5)), micros(spread.at(0.95)),
		float64(spread.at(0.5))/float64(max(base, 1)))
	for _, c := range cells {
		fmt.Fprintf(&report, " %s %% |", strconv.FormatFloat(columns[c][name].share(), 'g', 3, 64))
	}
	report.WriteString("\n")
}

// loadTool builds a public load tool to compare with: it sends as many requests at once as it is told, on connections
// that it opens for them.
func loadTool(b *testing.B) (contender, bool) {
	const module = "github.com/rakyll/hey@v0.1.5"
	dir := os.TempDir()
	if d := os.Getenv("IDEMCHECK_BENCH_BIN"); d != "" {
		dir = d
	} else {
		dir = b.TempDir()
	}
	tool := filepath.Join(dir, "hey")
	install := exec.Command("go", "install", module)
	install.Dir, install.Env = dir, append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
	if out, err := install.CombinedOutput(); err != nil {
		b.Logf("without %s, which could not be built: %s", module, out)
		return contender{}, false
	}
	send := func(_ *bench, tb testing.TB, url string, n int) {
		count := strconv.Itoa(n)
		must(tb, exec.Command(tool, "-n", count, "-c", count, "-m", "POST", "-d", benchBody, url).Run())
	}
	return contender{name: "hey 0.1.5", way: "plain", send: send}, true
}
