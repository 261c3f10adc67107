package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/container"
	"github.com/idempotency-conformance/idemcheck/targets/process"
)

// ordersFolder holds the orders API, once it was built.
var ordersFolder string

// ordersProgram builds the orders API, once.
var ordersProgram = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "idemtest-orders-")
	if err != nil {
		return "", err
	}
	ordersFolder = dir
	program := filepath.Join(dir, "orders")
	if out, err := exec.Command("go", "build", "-o", program, "../../targets/examples/orders").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the orders API: %w: %s", err, out)
	}
	return program, nil
})

// orders is an orders API: its program, and a schema of its own in the tests' PostgreSQL.
type orders struct {
	variant string
	program string
	dsn     string
	vars    map[string]string // what else the target file is told
}

// newOrders makes a schema, which goes with the test.
func newOrders(t testing.TB, variant string) orders {
	t.Helper()
	server := os.Getenv("IDEMCHECK_TEST_POSTGRES")
	if server == "" {
		t.Skip("IDEMCHECK_TEST_POSTGRES is not set: no PostgreSQL for the orders API (.ci/databases starts one)")
	}
	program, err := ordersProgram()
	require.NoError(t, err)
	schema := "sweep_" + strings.ToLower(rand.Text())
	db, err := pgx.Connect(context.Background(), server)
	require.NoError(t, err)
	_, err = db.Exec(context.Background(), "create schema "+schema)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := db.Exec(context.Background(), "drop schema "+schema+" cascade")
		assert.NoError(t, errors.Join(err, db.Close(context.Background())))
	})
	dsn, err := url.Parse(server)
	require.NoError(t, err)
	query := dsn.Query()
	query.Set("search_path", schema)
	dsn.RawQuery = query.Encode()
	return orders{variant: variant, program: program, dsn: dsn.String()}
}

// environ is what the target file is told.
func (o orders) environ() []string {
	list := []string{"ORDERS_BIN=" + o.program, "ORDERS_DATABASE_URL=" + o.dsn, "ORDERS_VARIANT=" + o.variant}
	for name, value := range o.vars {
		list = append(list, name+"="+value)
	}
	return list
}

const ordersFile = "orders-process.yaml"

// target reads the target file. One that gets stuck is not waited for long; the others have the time that a busy machine
// takes.
func (o orders) target(t testing.TB, change func(*targets.Target)) *targets.Target {
	t.Helper()
	told := map[string]string{}
	for _, pair := range o.environ() {
		name, value, _ := strings.Cut(pair, "=")
		told[name] = value
	}
	target, err := targets.Load("../../targets/examples/"+ordersFile, func(name string) (string, bool) { v, ok := told[name]; return v, ok })
	require.NoError(t, err)
	target.Settles = targets.Duration(10 * time.Second)
	if o.variant == "stuck-in-progress" {
		target.Settles = targets.Duration(1500 * time.Millisecond)
	}
	if change != nil {
		change(target)
	}
	return target
}

// sweep runs cases against the orders API in processes of its own.
func (o orders) sweep(t *testing.T, change func(*targets.Target), only ...string) reports.Report {
	t.Helper()
	e, err := process.Open(t.Context(), o.target(t, change))
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close()) }()
	return check(t, e, only...)
}

// fully sweeps both sides of each step.
func fully(t *targets.Target) { t.Run.CrashPoints.Mode = "full" }

// told puts a variable into the environment of the program.
func told(name, value string) func(*targets.Target) {
	return func(t *targets.Target) { t.Run.Process.Env[name] = value }
}

// point is what must be the same in each sweep; how long a recovery takes is not.
type point struct {
	part    string
	saw     string
	retry   reports.Disposition
	records int
	verdict reports.Verdict
	finding reports.FindingKind
}

func tableOf(c reports.Case) []point {
	var list []point
	for _, p := range c.Points {
		records := -1
		if p.Records != nil {
			records = *p.Records
		}
		list = append(list, point{p.Part, p.Saw, p.Retry, records, p.Verdict, p.Finding})
	}
	return list
}

// broken gives the parts that did not pass, each with its finding.
func broken(c reports.Case) []string {
	var list []string
	for _, p := range c.Points {
		if p.Verdict != reports.Pass {
			list = append(list, fmt.Sprintf("%s %s", p.Part, p.Finding))
		}
	}
	return list
}

// warnings gives what a case warns of, and says besides.
func notesOf(c reports.Case, warning bool) string {
	var list []string
	for _, n := range c.Notes {
		if n.Warning == warning {
			list = append(list, n.Text)
		}
	}
	return strings.Join(list, "\n")
}

// engine skips the test where there is no Docker engine, or the images are missing.
func engine(t *testing.T) {
	t.Helper()
	unavailable := container.Available(t.Context())
	if unavailable == nil {
		out, err := exec.Command("docker", "image", "inspect", "idemcheck-orders:latest", "idemcheck-postgres:latest").CombinedOutput()
		if err == nil {
			return
		}
		unavailable = errors.New("the images of the orders API cannot be found (.ci/images makes them): " + string(out))
	}
	if os.Getenv("IDEMCHECK_TEST_DOCKER") == "required" {
		t.Fatal(unavailable)
	}
	t.Skip(unavailable)
}
