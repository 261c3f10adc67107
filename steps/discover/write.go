package discover

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Write writes a result for people: the verdict first, then what is missing, what was seen, the contract, and what to do
// next. width is in columns.
func Write(w io.Writer, r Result, width int) error {
	p := &writer{width: max(width, 40)}
	p.head(r)
	p.list("missing", r.Missing)
	p.list("not known", r.Untold)
	p.list("seen", r.Evidence)
	if r.Contract != nil && r.Verdict != Refused {
		p.list("contract", contractLines(*r.Contract))
	}
	if r.Compared != "" {
		p.documented(r)
	}
	p.list("next", next(r))
	p.records(r)
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

type writer struct {
	strings.Builder
	width int
}

func (p *writer) head(r Result) {
	text := string(r.Verdict)
	if r.Verdict != CouldNotTell && r.Verdict != Refused {
		text += " (" + string(r.Strength) + ")"
	}
	p.para("", text+"  ", "  ", printable(r.Why, 600))
	p.WriteString("\n")
	if r.Place != "" {
		p.para("  ", "marker     ", strings.Repeat(" ", 13), r.Place)
	}
}

// list writes a label and its lines, each beginning below the first.
func (p *writer) list(label string, lines []string) {
	for i, l := range lines {
		if i > 0 {
			label = ""
		}
		p.para("  ", fmt.Sprintf("%-11s", label), strings.Repeat(" ", 13), l)
	}
}

// para writes a text that is wrapped between words.
func (p *writer) para(indent, label, hang, text string) {
	line := indent + label
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len([]rune(line))+1+len([]rune(word)) > p.width:
			p.WriteString(line + "\n")
			line = hang + word
		default:
			line += " " + word
		}
	}
	p.WriteString(strings.TrimRight(line, " ") + "\n")
}

func (p *writer) documented(r Result) {
	if len(r.Differs) == 0 {
		p.list("documented", []string{"nothing was seen that differs from " + r.Compared})
		return
	}
	p.list("documented", append([]string{"otherwise than " + r.Compared + " says:"}, r.Differs...))
}

// contractLines say what was discovered of the contract, one clause a line.
func contractLines(c targets.Profile) []string {
	key := c.Key.Name
	switch c.Key.Quoting {
	case targets.QuotingBare:
		key += ", written as it is"
	case targets.QuotingSFString:
		key += ", in double quotes"
	}
	if c.Key.MaxLength > 0 {
		key += fmt.Sprintf(", up to %d characters", c.Key.MaxLength)
	}
	if c.Key.Note != "" {
		key += "; " + c.Key.Note
	}
	lines := []string{"key: " + key}
	for _, one := range []clause{{"replay", c.Replay, c.Replay}, {"mismatch", c.Mismatch, c.Mismatch}, {"in flight", c.InFlight, c.InFlight},
		{"no key", c.Missing, c.Missing}, {"refused body", c.Failures.Validation, c.Failures.Validation}} {
		if len(one.seen.Mode) > 0 {
			lines = append(lines, one.name+": "+clauseText(one.seen))
		} else {
			lines = append(lines, one.name+": not seen")
		}
	}
	return lines
}

// modeTexts say the modes of a contract in words.
var modeTexts = map[string]string{
	targets.ModeIdentical:    "the first answer again",
	targets.ModeSameRecord:   "the same record, in another answer",
	targets.ModePointerError: "an error",
	targets.ModeReject:       "refused",
	targets.ModeReplayFirst:  "answered with the first answer",
	targets.ModeNewRecord:    "a second record",
	targets.ModeOverwrite:    "the first record is changed",
	targets.ModeWait:         "held until the first is done",
	targets.ModeExecutes:     "carried out",
	targets.ModeReExecuted:   "not kept: the corrected request is carried out",
	targets.ModeStored:       "kept: the corrected request is refused as well",
}

func clauseText(c targets.Clause) string {
	var words []string
	for _, m := range c.Mode {
		words = append(words, orDefault(modeTexts[m], m))
	}
	text := strings.Join(words, " or ")
	if len(c.Status) > 0 {
		text += ", " + strings.Trim(fmt.Sprint([]int(c.Status)), "[]")
	}
	if c.Code != nil {
		text += ", " + c.Code.At + " " + printable(strings.Join(c.Code.In, " or "), 80)
	}
	if c.Marker != nil {
		text += ", marked by " + printable(c.Marker.Name+": "+strings.Join(c.Marker.Value, " or "), 100)
	}
	return text
}

// next says what to do about the verdict.
func next(r Result) []string {
	switch r.Verdict {
	case Honoured:
		lines := []string{"Send one key for each intended write, keep it with the write before the first attempt, and send the same key with every retry."}
		if r.Strength != Counted {
			lines = append(lines, "Nobody has counted by the vendor's own list; where there is one, give it with --count: what an answer does not name cannot be seen otherwise.")
		}
		return lines
	case Partly:
		return partlyNext(r)
	case Ignored, Refused:
		return []string{
			"You must deduplicate yourself. Before sending, write the intended write under a key of your own into a table with a unique index; one worker at a time takes it.",
			"After a timeout, ask the vendor for a record with your reference before sending again, and wait until its list can have caught up.",
			"Where the vendor keeps a field unique (an external id, a reference), fill it with your key: a second create is then refused.",
		}
	}
	return []string{remedy(r)}
}

func partlyNext(r Result) []string {
	advice := []struct{ missing, text string }{
		{"concurrency", "Let one worker at a time send a key: a lock or a unique index on your side, since two sends at once make two records."},
		{"payload comparison", "Never send another payload under a used key: keep a digest of what was sent beside the key, and make a new key for a new intention."},
		{"different keys", "Give every payload something that differs (a reference of your own), since equal contents are taken for one."},
		{"the first answer", "Keep a reference of your own in each record, and look the record up when a repeat is refused."},
		{"retries", "After a lost answer look for the record before sending again."},
	}
	var out []string
	for _, a := range advice {
		if slices.ContainsFunc(r.Missing, func(m string) bool { return strings.HasPrefix(m, a.missing) }) {
			out = append(out, a.text)
		}
	}
	return out
}

// remedies say what to do about a verification that could not tell, by what its reason holds.
var remedies = []struct{ part, text string }{
	{"no place", "Write {{marker}} into a text of the body that the vendor keeps and shows again."},
	{"gave no answer", "Look at the address, and whether this machine can reach it (a proxy is taken from HTTPS_PROXY)."},
	{"credential", "Give a credential that may create, with -H or -u."},
	{"nothing at this address", "Give the address and the method of the request that creates."},
	{"no record id", "Give the request that creates (its answer must be JSON and name the record), or the id's place with --id '$.order.id'."},
	{"never showed", "Look at the query of --count, at --items, and which text the list searches; put {{marker}} there yourself, or raise --patience for a slow list."},
	{"list call", "Try the list call by hand, and give it with --count 'GET https://…?reference={{marker}}' and --items '$.data[*]'."},
	{"observer", "Try the list call by hand: it must show every record that has the marker, and no other."},
	{"refused", "Make the create work by hand first, with curl; then paste that command."},
	{"rate", "Try again later, or with --rate."},
	{"redirects", "Give the address that the vendor redirects to."},
	{"read back", "Say how a record is read: --read 'GET https://…/{{id}}'."},
	{"at the same time", "Try again from a machine nearer to the vendor, or with a higher --rate."},
}

func remedy(r Result) string {
	for _, one := range remedies {
		if strings.Contains(r.Why, one.part) {
			return one.text
		}
	}
	return "Write the run's events with --events and look at its exchanges."
}

// records says what is left at the vendor.
func (p *writer) records(r Result) {
	created := len(r.Records)
	if r.Report != nil {
		created += r.Report.Created - r.Report.Removed
	}
	if created > 0 {
		text := fmt.Sprintf("%d records remain", created)
		if created == 1 {
			text = "1 record remains"
		}
		p.list("left", []string{text + " at the vendor; each holds a text that begins with " + r.Marker})
	}
}
