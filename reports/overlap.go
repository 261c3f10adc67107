package reports

import "fmt"

// overlap writes what the sender measured of sends that were meant to run at the same moment.
func (p *page) overlap(c Case) {
	o := c.Overlap
	if o == nil {
		return
	}
	text := fmt.Sprintf("%s at once, %s; %d of %d planned overlapped, %d raced, %s", plural(o.Sends, "request", "requests"),
		plural(o.Rounds, "round", "rounds"), o.Overlapped, o.Planned, o.Raced, plural(o.InProgress, "in-progress answer", "in-progress answers"))
	p.para(2, "sent together", labelColumn, text)
	p.para(2, "released by", labelColumn, o.Technique+releaseText(*o))
	if o.ResolvedUS > 0 && o.Raced == 0 { // a race that was met needs no estimate of what might have been missed
		p.para(2, "resolved", labelColumn, fmt.Sprintf("these rounds would have found a window of %.0f µs with 99.9 %% (send spread %.0f µs%s)",
			o.ResolvedUS, o.SpreadUS, rttText(*o)))
	}
}

// releaseText is the shape of a release: how many bytes and segments, over how many connections.
func releaseText(o Overlap) string {
	text := ""
	if o.Bytes > 0 {
		text = fmt.Sprintf(": %s", plural(o.Bytes, "byte", "bytes"))
		if o.Segments >= 0 {
			text += " in " + plural(o.Segments, "segment", "segments")
		}
		text += " on " + plural(o.Connections, "connection", "connections")
	}
	if o.Reason != "" {
		text += " (" + o.Reason + ")"
	}
	return text
}

func rttText(o Overlap) string {
	if o.RTTMaxUS == 0 {
		return ""
	}
	return fmt.Sprintf(", round trips %.0f to %.0f µs", o.RTTMinUS, o.RTTMaxUS)
}
