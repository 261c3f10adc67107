package reports

import "github.com/idempotency-conformance/idemcheck/targets"

// paint writes SGR sequences, or nothing where colour is off. Colour never says anything that a word beside it does not.
type paint bool

const (
	sgrBold    = "1"
	sgrDim     = "2"
	sgrRed     = "1;31"
	sgrGreen   = "32"
	sgrYellow  = "33"
	sgrMagenta = "35"
)

func (p paint) in(sgr, s string) string {
	if !p || sgr == "" || s == "" {
		return s
	}
	return "\x1b[" + sgr + "m" + s + "\x1b[0m"
}

// verdictWord is how a report for people names the verdict of a case. What decides the exit status is in capitals.
func verdictWord(c Case, strict bool) string {
	switch c.Verdict {
	case Pass:
		if c.Inferred {
			return "pass (inferred)"
		}
	case Fail:
		switch broken := c.BrokenLevel(); {
		case broken == "":
			return "fail (known)"
		case broken == targets.Must, strict && broken == targets.Should:
			return "FAIL"
		default:
			return "fail (" + string(broken) + ")"
		}
	case Error:
		return "ERROR"
	case NotApplicable:
		return "not applicable"
	case NotRun:
		return "not run"
	}
	return c.Verdict.String()
}

func verdictColor(c Case, strict bool) string {
	switch c.Verdict {
	case Pass:
		return sgrGreen
	case Fail:
		if verdictWord(c, strict) == "FAIL" {
			return sgrRed
		}
		return sgrYellow
	case Error:
		return sgrMagenta
	case Inconclusive:
		return sgrYellow
	}
	return sgrDim
}
