package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/idempotency-conformance/idemcheck/reports"
)

func TestMain(m *testing.M) {
	if address := os.Getenv(moveVariable); address != "" {
		os.Exit(moveClock(address, os.Args[1]))
	}
	testscript.Main(swept{m}, map[string]func(){
		"idemcheck": func() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// swept removes what the tests have built for all of them, when they are over.
type swept struct{ *testing.M }

func (s swept) Run() int {
	defer os.RemoveAll(ordersFolder)
	return s.M.Run()
}

// The scripts run the command as a user does.
func TestScripts(t *testing.T) {
	t.Parallel()
	program := buildVendor(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup:               hostileServers,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":   wantStatus,
			"waitfor":  waitFor,
			"gone":     gone,
			"hidden":   hidden,
			"validate": validate,
			"ended":    ended,
			"expand":   expand,
			"vendor":   func(ts *testscript.TestScript, _ bool, args []string) { vendorFor(ts, program, args) },
			"cut":      cut,
		},
	})
}

// hostileServers starts a server of each kind and tells the script their addresses.
func hostileServers(env *testscript.Env) error {
	for name, h := range hostiles() {
		s := httptest.NewUnstartedServer(h)
		if name == "TLS_URL" {
			s.StartTLS()
		} else {
			s.Start()
		}
		env.Setenv(name, s.URL)
		env.Defer(s.CloseClientConnections)
		env.Defer(s.Close)
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	env.Setenv("UNREACHABLE_URL", closed.URL)
	env.Setenv("NO_COLOR", "1")
	return nil
}

// wantStatus runs a command and expects an exit status: status 2 idemcheck run …
func wantStatus(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		text := regexp.MustCompile(`exit status (\d+)`).FindStringSubmatch(err.Error())
		if text == nil {
			ts.Fatalf("%v", err)
		}
		got, _ = strconv.Atoi(text[1])
	}
	if got != want {
		ts.Fatalf("exit status %d, not %d", got, want)
	}
}

// waitFor waits until a file holds a text: waitfor FILE TEXT.
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	for range 3000 {
		data, _ := os.ReadFile(path)
		if strings.Contains(string(data), args[1]) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s never held %q", args[0], args[1])
}

var childPID = regexp.MustCompile(`child process (\d+)`)

// gone expects that the child process that an event stream names has ended: gone FILE.
func gone(ts *testscript.TestScript, _ bool, args []string) {
	pid := childPID.FindStringSubmatch(ts.ReadFile(args[0]))
	if pid == nil {
		ts.Fatalf("%s names no child process", args[0])
	}
	n, err := strconv.Atoi(pid[1])
	ts.Check(err)
	p, err := os.FindProcess(n)
	ts.Check(err)
	if err := p.Signal(syscall.Signal(0)); err == nil {
		ts.Fatalf("the child process %d still runs", n)
	}
}

// hidden expects that no file below a folder, nor the output so far, holds a text in any of the usual forms.
func hidden(ts *testscript.TestScript, _ bool, args []string) {
	texts := map[string]string{"stdout": ts.ReadFile("stdout"), "stderr": ts.ReadFile("stderr")}
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		texts[path] = string(data)
		return err
	}))
	for _, secret := range args[1:] {
		for where, text := range texts {
			for _, form := range forms(secret) {
				if strings.Contains(text, form) {
					ts.Fatalf("%s shows %q", where, form)
				}
			}
		}
	}
}

// validate expects that a file is valid against a published schema: validate report|event FILE. An event stream is
// validated line by line.
func validate(ts *testscript.TestScript, _ bool, args []string) {
	raw := reports.ReportSchema()
	if args[0] == "event" {
		raw = reports.EventSchema()
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	ts.Check(err)
	c := jsonschema.NewCompiler()
	ts.Check(c.AddResource("schema.json", doc))
	schema, err := c.Compile("schema.json")
	ts.Check(err)
	documents := []string{ts.ReadFile(args[1])}
	if args[0] == "event" {
		documents = lines(documents[0])
	}
	if len(documents) == 0 {
		ts.Fatalf("%s is empty", args[1])
	}
	for i, text := range documents {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		ts.Check(err)
		if err := schema.Validate(value); err != nil {
			ts.Fatalf("document %d of %s: %v", i+1, args[1], err)
		}
	}
}

// ended expects that an event stream is whole and says how it ended: ended FILE EXIT.
func ended(ts *testscript.TestScript, _ bool, args []string) {
	events, err := reports.ReadEvents(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	i := slices.IndexFunc(events, func(e reports.Event) bool { return e.Kind == reports.KindRunEnded })
	if i != len(events)-1 {
		ts.Fatalf("run-ended is event %d of %d", i+1, len(events))
	}
	if got := fmt.Sprint(events[i].RunEnded.Exit); got != args[1] {
		ts.Fatalf("the stream ends with exit %s, not %s", got, args[1])
	}
}

// cut takes the last bytes off a file: cut FILE N.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text[:len(text)-n]), 0o600))
}

func lines(text string) []string {
	var list []string
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		if json.Valid(s.Bytes()) {
			list = append(list, s.Text())
		}
	}
	return list
}
