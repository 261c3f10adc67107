package reports

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// xmllint finds the program that holds a document against an XML schema.
func xmllint(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("xmllint")
	if err == nil {
		return path
	}
	if os.Getenv("IDEMCHECK_TEST_XMLLINT") == "required" {
		require.NoError(t, err, "IDEMCHECK_TEST_XMLLINT=required")
	}
	t.Skip("xmllint is not installed: the JUnit reports are not held against the XML schema")
	return ""
}

// underSchema holds a document against a schema, and gives what xmllint complains about.
func underSchema(t *testing.T, lint, schema string, doc []byte) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), lint, "--noout", "--nonet", "--schema", schema, "-")
	cmd.Stdin = bytes.NewReader(doc)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// junitRuns are runs of every outcome: green, failures, errors, inconclusive, skipped, incomplete, known, and texts that
// were made to break out.
func junitRuns() map[string]Report {
	runs := ciRuns()
	runs["known"], runs["hostile"], runs["odd texts"] = livedWith().report(), reportOf(markup), reportOf("\x00\ufffe ]]> &lt;\u2028")
	runs["no text at all"], runs["hostile run"] = reportOf(""), hostileRun().report()
	return runs
}

// The schema asks for whatever one of the two common schemas asks for; it says where these disagree. Whoever has them
// tries them too: IDEMCHECK_TEST_JUNIT_XSD lists files, and a report must keep to each of them as it is.
func TestJUnitUnderTheSchema(t *testing.T) {
	t.Parallel()
	lint := xmllint(t)
	schemas := append([]string{filepath.Join("testdata", "junit.xsd")}, filepath.SplitList(os.Getenv("IDEMCHECK_TEST_JUNIT_XSD"))...)
	for name, r := range junitRuns() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, schema := range schemas {
				out, err := underSchema(t, lint, schema, written(t, JUnit, r))
				require.NoError(t, err, "%s: %s", schema, out)
			}
		})
	}
}

// The schema is one that can fail: it refuses what one of the two common schemas refuses.
func TestTheJUnitSchemaRefuses(t *testing.T) {
	t.Parallel()
	lint, schema := xmllint(t), filepath.Join("testdata", "junit.xsd")
	doc := written(t, JUnit, failing().report())
	for _, broken := range []struct{ from, to string }{
		{`type="overwritten"`, ``}, {` id="0"`, ``}, {` package="[^"]*"`, ``}, {`<system-err></system-err>`, ``}, {`failures="\d+"`, `failures="many"`},
		{`(timestamp="[^"]*)"`, `${1}Z"`}, {`time="[^"]*"`, `time="1,5"`}, {`hostname="localhost"`, `hostname=""`}, {`<testcase `, `<testcase status="run" `},
	} {
		changed := regexp.MustCompile(broken.from).ReplaceAll(doc, []byte(broken.to))
		require.NotEqual(t, string(doc), string(changed), broken.from)
		out, err := underSchema(t, lint, schema, changed)
		assert.Error(t, err, "%s: %s", broken.from, out)
	}
}
