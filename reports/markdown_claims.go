package reports

import (
	"cmp"
	"fmt"
	"strings"
)

// claimsRoom is how many bytes the comparison with the profile has at most: the cases say in full what is broken.
const claimsRoom = 8 << 10

// claims counts how the values of the profile came off, and lists those that were broken.
func (m *markdown) claims() {
	if len(m.r.Claims) == 0 {
		return
	}
	head := fmt.Sprintf("What %s documents: %s.\n\n", markdownText(cmp.Or(m.r.About.Profile, "the profile"), 200), claimsSummary(m.r.Claims))
	var rows []string
	for _, r := range m.r.Claims {
		if r.State == Departed {
			rows = append(rows, markdownClaim(r))
		}
	}
	if len(rows) == 0 {
		m.add(head)
		return
	}
	kept := m.left - min(m.left, claimsRoom)
	m.left -= kept
	n := m.lines(head+tableHead("broken value", "documented", "seen", "by"), rows, "\n")
	m.left += kept
	m.leftOut(len(rows)-n, "more broken value is", "more broken values are")
}

func markdownClaim(r ClaimRow) string {
	var texts, cases []string
	for _, s := range r.Seen {
		if s.State == Departed {
			texts, cases = append(texts, s.Text), append(cases, s.Cases...)
		}
	}
	said := cmp.Or(r.Value, "nothing") + " (" + string(r.Provenance) + ")"
	return tableRow(markdownText(r.Claim, 100), markdownText(said, 200), markdownText(strings.Join(texts, "; "), 300), markdownText(list(cases), 300))
}
