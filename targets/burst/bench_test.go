package burst_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// windows are the exact windows of the target, besides none.
var windows = []time.Duration{50 * time.Microsecond, 200 * time.Microsecond, time.Millisecond}

// benchPlan is one table of the benchmark.
type benchPlan struct {
	jitter bool
	n      int
	rounds int // of each technique in each cell
	cells  []cell
}

// benchPlans measure arrivals first: there the target waits before it answers. In the other cells it spins, and what it
// spins for one request keeps another from being read.
func benchPlans() []benchPlan {
	arrival, atHeader := cell{kind: "wait"}, cell{kind: "header"}
	every := []cell{arrival, {kind: "body"}}
	for _, w := range windows {
		every = append(every, cell{kind: "body", window: w})
	}
	every = append(every, atHeader)
	some := []cell{arrival, {kind: "body", window: windows[0]}, atHeader}
	return []benchPlan{
		{n: 10, rounds: 100, cells: every},
		{n: 2, rounds: 100, cells: some},
		{n: 50, rounds: 25, cells: slices.Clone(some)},
		{jitter: true, n: 10, rounds: 40, cells: slices.Clone(some)},
	}
}

// BenchmarkArrival measures how close together the requests of a burst arrive at a handler (first to last body read, in
// µs) and how many rounds show a check-then-insert race whose window the target spins through. One round of each
// technique in turn; the time of an operation means nothing here. With -short, a tenth of the rounds; without, it
// takes some minutes.
func BenchmarkArrival(b *testing.B) {
	tool, built := loadTool(b)
	benches := map[bool]*bench{false: newBench(b, false), true: newBench(b, true)}
	for _, p := range benchPlans() {
		if testing.Short() {
			p.rounds /= 10
		}
		who := contenders
		if built && p.n == 10 {
			who = append(who[:len(who):len(who)], tool)
		}
		for i := range p.cells {
			p.cells[i].n = p.n
		}
		p.measure(b, benches[p.jitter], who)
	}
}

// measure measures all contenders, and adds a table.
func (p benchPlan) measure(b *testing.B, bench *bench, who []contender) {
	columns := map[cell]map[string]*sample{}
	for _, c := range p.cells {
		columns[c] = bench.run(b, c, who, p.rounds)
	}
	path := map[bool]string{false: "loopback", true: "jitter"}[p.jitter]
	p.head(path)
	base := columns[p.cells[0]][who[0].name].at(0.5)
	for _, one := range who {
		p.row(one.name, base, columns)
		b.Run(fmt.Sprintf("%s/n=%d/%s", path, p.n, one.name), func(b *testing.B) {
			b.ReportMetric(0, "ns/op")
			spread := columns[p.cells[0]][one.name]
			b.ReportMetric(micros(spread.at(0.5)), "median-µs")
			b.ReportMetric(micros(spread.at(0.95)), "p95-µs")
			for _, c := range p.cells[1:] {
				b.ReportMetric(columns[c][one.name].share(), "%found-"+strings.ReplaceAll(c.label(), " ", "-"))
			}
		})
	}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// label names a cell in a column.
func (c cell) label() string {
	switch {
	case c.kind == "header":
		return "check at header"
	case c.window == 0:
		return "0"
	}
	return c.window.String()
}

func (p benchPlan) head(path string) {
	if p.jitter {
		path = "through 5 ± 3 ms of jitter"
	}
	fmt.Fprintf(&report, "\n%d requests, %s, %d rounds: arrival spread in µs, and rounds in which a window of the target was found\n\n",
		p.n, path, p.rounds)
	report.WriteString("| technique | median | p95 | of the first |")
	for _, c := range p.cells[1:] {
		fmt.Fprintf(&report, " %s |", c.label())
	}
	report.WriteString("\n| --- | --: | --: | --: |" + strings.Repeat(" --: |", len(p.cells)-1) + "\n")
}

func (p benchPlan) row(name string, base time.Duration, columns map[cell]map[string]*sample) {
	spread := columns[p.cells[0]][name]
	median := spread.at(0.5)
	fmt.Fprintf(&report, "| %s | %.0f | %.0f | %.2f × |", name, micros(median), micros(spread.at(0.95)), float64(median)/float64(max(base, 1)))
	for _, c := range p.cells[1:] {
		fmt.Fprintf(&report, " %.3g %% |", columns[c][name].share())
	}
	report.WriteString("\n")
}

// loadTool builds a public load tool to compare with: it sends as many requests at once as it is told, on connections
// that it opens for them.
func loadTool(b *testing.B) (contender, bool) {
	const module = "github.com/rakyll/hey@v0.1.5"
	dir := b.TempDir()
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
