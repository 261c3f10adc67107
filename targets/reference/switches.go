package reference

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// The points at which Test-Fail can strike.
const (
	beforeWork  = "before-work"
	inWork      = "in-work"
	afterCommit = "after-commit"
)

// longestPause bounds Test-Slow and Test-Slow-Before.
const longestPause = 5 * time.Minute

// switches are the Test-* headers of one request.
type switches struct {
	slow, slowBefore time.Duration
	refuseStatus     int
	fail, failAt     string
}

// readSwitches reads the Test-* headers and refuses what it does not understand.
func readSwitches(h http.Header) (sw switches, err error) {
	if sw.slow, err = pauseHeader(h, "Test-Slow"); err != nil {
		return sw, err
	}
	if sw.slowBefore, err = pauseHeader(h, "Test-Slow-Before"); err != nil {
		return sw, err
	}
	if text := h.Get("Test-Refuse"); text != "" {
		if sw.refuseStatus, err = strconv.Atoi(text); err != nil || sw.refuseStatus < 400 || sw.refuseStatus > 499 {
			return sw, invalid(fieldError{"Test-Refuse", "must be a status from 400 to 499"})
		}
	}
	switch sw.fail = h.Get("Test-Fail"); sw.fail {
	case "", "500", "503", "504", "drop":
	default:
		return sw, invalid(fieldError{"Test-Fail", "must be 500, 503, 504 or drop"})
	}
	switch sw.failAt = h.Get("Test-Fail-At"); sw.failAt {
	case "":
		sw.failAt = inWork
	case beforeWork, inWork, afterCommit:
	default:
		return sw, invalid(fieldError{"Test-Fail-At", "must be before-work, in-work or after-commit"})
	}
	return sw, nil
}

// pauseHeader reads a duration such as "300ms".
func pauseHeader(h http.Header, name string) (time.Duration, error) {
	text := h.Get(name)
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > longestPause {
		return 0, invalid(fieldError{name, "must be a duration such as 300ms, five minutes at most"})
	}
	return d, nil
}

// refuse is the refusal that Test-Refuse asks for, or nil.
func (sw switches) refuse() error {
	codes := map[int]string{400: "invalid", 401: "unauthorized", 403: "forbidden", 404: "not_found", 429: "rate_limited"}
	if sw.refuseStatus == 0 {
		return nil
	}
	p := problem{Status: sw.refuseStatus, Code: codes[sw.refuseStatus], Detail: "Refused, as Test-Refuse asked for."}
	if p.Code == "" {
		p.Code = "refused"
	}
	if p.Status == http.StatusTooManyRequests {
		p.retryAfter = 1
	}
	return p
}

// strike is the failure that Test-Fail asks for at a point, or nil.
func (sw switches) strike(point string) error {
	if sw.fail == "" || sw.failAt != point {
		return nil
	}
	if sw.fail == "drop" {
		return errDrop
	}
	statuses := map[string]int{"500": http.StatusInternalServerError, "503": http.StatusServiceUnavailable, "504": http.StatusGatewayTimeout}
	return problem{Status: statuses[sw.fail], Code: "test_failure", Detail: "Failed " + point + ", as Test-Fail asked for."}
}

// pause waits, or returns early with an error when ctx is done.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
