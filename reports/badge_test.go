package reports

import (
	"encoding/xml"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

func TestBadge(t *testing.T) {
	t.Parallel()
	ciGoldens(t, Badge, "badge-%s.golden.svg")
}

func TestBadgeText(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"passing": "5 pass", "failing": "2 broken", "interrupted": "could not tell", "collapsing": "1 broken",
		"untrusted": "could not tell", "answers-only": "1 broken", "nothing": "could not tell",
	} {
		assert.Equal(t, want, badgeText(ciRuns()[name]), name)
	}
	r := Report{Complete: true, Cases: []Case{
		outcomeCase("a", targets.Must, Pass, ""), outcomeCase("b", targets.Should, Fail, targets.Should),
		outcomeCase("c", targets.Must, Fail, targets.Must, Finding{Kind: Duplicate, Level: targets.Must, Known: "ORD-1"}),
	}}
	r.Outcome, r.Summary.Pass = ExitStatus(r), 1
	assert.Equal(t, "1 pass, 1 should broken, 1 known", badgeText(r))
}

func TestBadgeIsAccessible(t *testing.T) {
	t.Parallel()
	for _, color := range []string{badgeLabelColor, badgePassColor, badgeBrokenColor, badgeUntoldColor} {
		contrast := 1.05 / (luminance(t, color) + 0.05) // against white
		assert.GreaterOrEqual(t, contrast, 4.5, color)
	}
	for name, r := range ciRuns() {
		var root node
		require.NoError(t, xml.Unmarshal(written(t, Badge, r), &root))
		want := "idempotency: " + badgeText(r)
		assert.Equal(t, "img", root.attr("role"), name)
		assert.Equal(t, want, root.attr("aria-label"), name)
		assert.Equal(t, want, root.Children[0].Text, name)
		width, err := strconv.Atoi(root.attr("width"))
		require.NoError(t, err)
		assert.Equal(t, textWidth(badgeLabel)+textWidth(badgeText(r))+4*badgeMargin, width, name)
	}
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(t *testing.T, color string) float64 {
	t.Helper()
	rgb, err := strconv.ParseUint(color[1:], 16, 32)
	require.NoError(t, err)
	linear := func(shift uint) float64 {
		c := float64(rgb>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(16) + 0.7152*linear(8) + 0.0722*linear(0)
}
