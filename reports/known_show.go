package reports

import "strings"

// stale lists the entries of the known failures that have to be changed, with the line of the target file.
func (p *page) stale() {
	list := staleKnown(p.r)
	if len(list) == 0 {
		return
	}
	p.gap()
	p.line("%s", p.in(sgrRed, plural(len(list), "known failure has", "known failures have")+" to be changed"))
	for _, k := range list {
		p.line("  %s", k.Place())
		p.para(4, "", 0, k.entry())
		p.para(4, "", 0, k.Advice())
	}
}

// entry is the entry as it stands in the file: "- {case: K4, finding: wrong-status, reason: ORD-1234, until: 2027-01-31}".
func (k KnownEntry) entry() string {
	text, err := flowEntry(k)
	if err != nil {
		text = strings.Join([]string{k.Case, string(k.Finding), k.Reason, k.Until}, ", ")
	}
	return "- " + text
}

// htmlKnown is an entry of the known failures as the page shows it. Its texts are visible.
type htmlKnown struct {
	Place, Entry, State, Advice string
	Stale                       bool
}

func htmlKnownOf(r Report) []htmlKnown {
	var out []htmlKnown
	for _, k := range r.Known {
		k = visibleCopy(k)
		out = append(out, htmlKnown{k.Place(), k.entry(), strings.ReplaceAll(string(k.State), "-", " "), k.Advice(), k.Stale()})
	}
	return out
}

// htmlStale says that entries have to be changed; without lines, none has.
func htmlStale(r Report) htmlAlert {
	a := htmlAlert{Title: "The list of known failures has to be changed"}
	for _, k := range htmlKnownOf(r) {
		if k.Stale {
			a.Lines = append(a.Lines, k.Place+": "+k.Advice)
		}
	}
	return a
}
