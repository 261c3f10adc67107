// Package browser looks at the HTML report as a person does, in headless Chromium: wide and narrow, light and dark, and by
// clicking. It is a module of its own, so that the program does not carry the driver.
//
//	go test ./...                            needs chromium (Debian's package)
//	IDEMCHECK_PICTURES=/tmp/pictures go test ./...   keeps pictures to look at
package browser

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program builds the command once.
var program = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "idemcheck-browser-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "idemcheck")
	build := exec.Command("go", "build", "-o", path, "./cmd/idemcheck")
	build.Dir = "../.."
	out, err := build.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("build the command: %w: %s", err, out)
	}
	return path, err
})

// command runs idemcheck and expects an exit status.
func command(t *testing.T, status int, args ...string) {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	cmd := exec.Command(path, args...)
	out, _ := cmd.CombinedOutput()
	require.Equal(t, status, cmd.ProcessState.ExitCode(), "%s", out)
}

// pages makes the reports to look at: a green run, one with duplicates, a crash sweep with a point that fails, and one of
// 10,000 cases.
func pages(t *testing.T) map[string]string {
	t.Helper()
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	command(t, 0, "run", "--only", "K*,replay-*,double-send[2]", "--report", "html="+at("green.html"))
	command(t, 1, "run", "--defect", "check-then-insert", "--only", "K*,replay-*,double-send*", "--report", "html="+at("duplicates.html"))
	command(t, 1, "run", "--defect", "answer-in-second-transaction", "--only", "crash,crash-disconnect", "--report", "html="+at("crash.html"))
	many(t, at("many.ndjson"), 10_000)
	command(t, 0, "report", "render", at("many.ndjson"), "--report", "html="+at("many.html"))
	out := map[string]string{}
	for _, name := range []string{"green", "duplicates", "crash", "many"} {
		out[name] = "file://" + at(name+".html")
	}
	return out
}

// many writes the events of a run of n cases with five exchanges each.
func many(t *testing.T, path string, n int) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	w := bufio.NewWriter(f)
	seq := 0
	emit := func(id, kind, payload string) {
		seq++
		fmt.Fprintf(w, `{"v":1,"run":"many","seq":%d,"at":"2026-03-04T05:06:07Z","case":%q,"kind":%q%s}`+"\n", seq, id, kind, payload)
	}
	emit("", "run-started", `,"run_started":{"tool":"idemcheck","target":"orders","url":"http://127.0.0.1:1","about":"a large run","profile":"ietf-draft-07"}`)
	for i := range n {
		id := fmt.Sprintf("case-%05d", i)
		emit(id, "case-planned", fmt.Sprintf(`,"case_planned":{"id":%q,"title":"Case number %d","feature":"Replay","level":"must","uri":"replay.feature:1"}`, id, i))
	}
	for i := range n {
		id := fmt.Sprintf("case-%05d", i)
		emit(id, "case-started", "")
		for x := range 5 {
			ms := i + x
			emit(id, "exchange", fmt.Sprintf(`,"exchange":{"name":"send %d","seq":%d,"conn":%d,"purpose":"attempt","method":"POST","url":"http://127.0.0.1:1/orders","body":{"text":"{}","size":2},"began_ms":%d,"wrote_ms":%d,"first_byte_ms":%d,"ended_ms":%d,"status":201,"content":{"text":"{}","size":2},"id":"D1","disposition":"created"}`,
				x, x+1, x+1, ms, ms+1, ms+4, ms+5))
		}
		verdict := `"verdict":"pass","reason":"created, replayed"`
		if i%100 == 99 {
			emit(id, "finding", `,"finding":{"kind":"duplicate","question":"records","level":"must","message":"2 records exist where 1 is right"}`)
			verdict = `"verdict":"fail","broken":"must","reason":"duplicate: 2 records exist where 1 is right"`
		}
		emit(id, "case-ended", `,"case_ended":{`+verdict+`,"records":[{"observer":"orders","before":0,"expected":"1","found":1}]}`)
	}
	emit("", "run-ended", `,"run_ended":{"exit":1}`)
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())
}

// chromium starts the browser for a test and collects what its console complains of.
func chromium(t *testing.T) (context.Context, func() []string) {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox) // in CI everything is root
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(stop)
	var mu sync.Mutex
	var complaints []string
	chromedp.ListenTarget(ctx, func(e any) {
		if thrown, ok := e.(*runtime.EventExceptionThrown); ok {
			mu.Lock()
			defer mu.Unlock()
			complaints = append(complaints, thrown.ExceptionDetails.Error())
		}
	})
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return complaints
	}
}

// picture keeps a picture of what the browser shows, where one was asked for.
func picture(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	folder := os.Getenv("IDEMCHECK_PICTURES")
	if folder == "" {
		return
	}
	var shot []byte
	require.NoError(t, chromedp.Run(ctx, chromedp.CaptureScreenshot(&shot)))
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, name+".png"), shot, 0o644))
}

func eval[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	var v T
	require.NoError(t, chromedp.Run(ctx, chromedp.Evaluate(script, &v)), script)
	return v
}

func scheme(name string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}})
}

// Every report can be read: nothing is wider than the screen, the verdict and the cases are there, the first case opens,
// light and dark differ, and no script fails.
func TestLooks(t *testing.T) {
	for name, url := range pages(t) {
		t.Run(name, func(t *testing.T) {
			ctx, complaints := chromium(t)
			for _, width := range []int64{1280, 390} {
				papers := map[string]bool{}
				for _, color := range []string{"light", "dark"} {
					at := fmt.Sprintf("%s-%d-%s", name, width, color)
					require.NoError(t, chromedp.Run(ctx, chromedp.EmulateViewport(width, 900), scheme(color), chromedp.Navigate(url),
						chromedp.WaitVisible("h1", chromedp.ByQuery), chromedp.WaitVisible(".outcome .badge", chromedp.ByQuery), chromedp.WaitVisible(".case summary", chromedp.ByQuery)))
					picture(t, ctx, at+"-top")
					papers[eval[string](t, ctx, `getComputedStyle(document.body).backgroundColor`)] = true
					require.NoError(t, chromedp.Run(ctx, chromedp.Click(".case summary", chromedp.ByQuery), chromedp.WaitVisible(".case details[open] .inside h3", chromedp.ByQuery),
						chromedp.ScrollIntoView(".case details[open] summary", chromedp.ByQuery)))
					eval[bool](t, ctx, `document.querySelector(".case details[open] summary").scrollIntoView(), true`)
					picture(t, ctx, at+"-case")
					if eval[bool](t, ctx, `!!document.querySelector(".claims-of-run")`) {
						eval[bool](t, ctx, `document.querySelector(".claims-of-run").open = true, document.querySelector(".claims-of-run").scrollIntoView(), true`)
						picture(t, ctx, at+"-claims")
						assert.LessOrEqual(t, eval[int64](t, ctx, `document.documentElement.scrollWidth`), width, "%s with its claims scrolls sideways", at)
						eval[bool](t, ctx, `document.querySelector(".claims-of-run").open = false, true`)
					}
					if eval[bool](t, ctx, `!!document.querySelector(".timeline")`) {
						eval[bool](t, ctx, `document.querySelector(".timeline").scrollIntoView(), true`)
						picture(t, ctx, at+"-timeline")
					}
					assert.LessOrEqual(t, eval[int64](t, ctx, `document.documentElement.scrollWidth`), width, "%s scrolls sideways", at)
				}
				assert.Len(t, papers, 2, "light and dark look the same")
			}
			assert.Empty(t, complaints())
		})
	}
}

// visible counts the elements that a person can see.
const visible = `[...document.querySelectorAll(%q)].filter((e) => e.checkVisibility()).length`

// A person filters by verdict and text, opens a case, follows the timeline to an exchange, and comes back by a link.
func TestClicks(t *testing.T) {
	folder := t.TempDir()
	page := filepath.Join(folder, "duplicates.html")
	command(t, 1, "run", "--defect", "check-then-insert", "--only", "K1,K1-two-workers,K4,replay-once,first-request", "--report", "html="+page)
	ctx, complaints := chromium(t)
	seen := func(selector string) int { return eval[int](t, ctx, fmt.Sprintf(visible, selector)) }
	require.NoError(t, chromedp.Run(ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+page), chromedp.WaitVisible(".case", chromedp.ByQuery)))
	all, passed := seen(".case"), seen(".case.pass")
	require.Positive(t, passed)

	require.NoError(t, chromedp.Run(ctx, chromedp.Click("#v-pass", chromedp.ByQuery)))
	assert.Equal(t, all-passed, seen(".case"))
	assert.Zero(t, seen(".case.pass"))
	assert.Zero(t, seen("#group-pass"), "an empty group is not shown")
	require.NoError(t, chromedp.Run(ctx, chromedp.Click("#v-pass", chromedp.ByQuery), chromedp.SendKeys("#text", "two-workers", chromedp.ByQuery),
		chromedp.Poll(`document.getElementById("shown").textContent.startsWith("1 of")`, nil)))
	assert.Equal(t, 1, seen(".case"))

	assert.Zero(t, seen(".timeline"))
	require.NoError(t, chromedp.Run(ctx, chromedp.Click(".case:not([hidden]) summary", chromedp.ByQuery), chromedp.WaitVisible(".timeline .plot svg", chromedp.ByQuery)))
	assert.GreaterOrEqual(t, seen(".timeline .bar"), 2, "two workers, two bars")
	assert.Positive(t, seen(".finding"))
	assert.Equal(t, 2, seen(".arrivals .bar"), "the last round, drawn by itself")
	assert.Zero(t, seen(".exchange[open]"))
	require.NoError(t, chromedp.Run(ctx, chromedp.Click(".timeline .names a", chromedp.ByQuery), chromedp.WaitVisible(".exchange[open] pre", chromedp.ByQuery)))
	assert.Equal(t, 1, seen(".exchange[open]"))
	assert.Contains(t, eval[string](t, ctx, `location.hash`), "-x", "the address leads to the exchange")

	assert.Zero(t, seen(".claims-of-run tr"))
	require.NoError(t, chromedp.Run(ctx, chromedp.Click(".claims-of-run > summary", chromedp.ByQuery), chromedp.WaitVisible(".claims-of-run table", chromedp.ByQuery),
		chromedp.Click(`.claims-of-run a[href="#case-K4"]`, chromedp.ByQuery), chromedp.WaitVisible("#case-K4", chromedp.ByQuery)))
	assert.Equal(t, "#case-K4", eval[string](t, ctx, `location.hash`), "the cases that read a value are a click away")
	assert.Empty(t, complaints())
}

// 10,000 cases stay usable: the filter answers and a case is built when it is opened.
func TestMany(t *testing.T) {
	events := filepath.Join(t.TempDir(), "many.ndjson")
	many(t, events, 10_000)
	page := events + ".html"
	command(t, 0, "report", "render", events, "--report", "html="+page)
	ctx, complaints := chromium(t)
	require.NoError(t, chromedp.Run(ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+page), chromedp.WaitVisible("h1", chromedp.ByQuery),
		chromedp.SendKeys("#text", "case-04999", chromedp.ByQuery), chromedp.Poll(`document.getElementById("shown").textContent === "1 of 10000 cases"`, nil)))
	// The driver mirrors the whole document, which takes it long here: the click is the page's own.
	eval[bool](t, ctx, `document.querySelector(".case:not([hidden]) summary").click(), true`)
	require.NoError(t, chromedp.Run(ctx, chromedp.Poll(`document.querySelectorAll(".timeline .bar").length > 0`, nil)))
	assert.Equal(t, 5, eval[int](t, ctx, fmt.Sprintf(visible, ".timeline .bar")))
	require.NoError(t, chromedp.Run(ctx, chromedp.Navigate("file://"+page+"#case-07777"), chromedp.Poll(`document.querySelectorAll(".case details[open]").length > 0`, nil)))
	assert.Empty(t, complaints())
}
