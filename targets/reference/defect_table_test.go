package reference

import (
	"strings"
	"testing"
)

func TestDefectTable(t *testing.T) {
	t.Parallel()
	findings := " duplicate lost phantom overwritten leaked stuck replay-differs wrong-status side-effect-repeated key-ignored server-error "
	seen := map[string]bool{}
	for _, d := range Defects() {
		if d.Name == "" || d.Summary == "" || seen[d.Name] {
			t.Errorf("defect %+v has no name of its own or no summary", d)
		}
		if (d.Class == "") != (d.Report == "") {
			t.Errorf("defect %s has only one of class and report", d.Name)
		}
		if len(d.Breaks) < 1 && len(d.Blurs) < 1 || len(d.Breaks) > 4 {
			t.Errorf("defect %s breaks %d cases", d.Name, len(d.Breaks))
		}
		seen[d.Name] = true
		for _, b := range d.Breaks {
			if b.Case == "" || !strings.Contains(findings, " "+b.Finding+" ") {
				t.Errorf("defect %s breaks %+v", d.Name, b)
			}
		}
	}
}

func TestNewRefusesDefects(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"key-ignord":            `unknown defect "key-ignord": did you mean "key-ignored"?`,
		"key-ignored=1s":        `takes no value`,
		"check-then-insert=x":   `wants a duration`,
		"check-then-insert=-1s": `wants a duration`,
	} {
		if _, err := New(Options{Path: t.TempDir() + "/x.db", Defects: []string{given}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", given, err, want)
		}
	}
	if _, err := New(Options{}); err == nil {
		t.Error("a server without a path was started")
	}
}
