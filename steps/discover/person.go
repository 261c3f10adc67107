package discover

import (
	"context"
	"fmt"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
)

// question asks a person what the vendor's web page shows of the cases that decide, when all of them have run: a person
// cannot be asked for each of the many counts that an observer takes.
func (p *prober) question(ctx context.Context, e *evidence, marks markers) error {
	for _, c := range []*reports.Case{e.find(caseReplay), e.find(caseControl), e.mismatch(), e.burst()} {
		if c == nil || marks[c.ID] == "" {
			continue
		}
		marker := marks[c.ID]
		if c.Overlap != nil { // all rounds of a burst, whose markers differ in their end
			marker = marker[:strings.LastIndex(marker, "-")+1]
		}
		n, told, err := p.Ask(ctx, fmt.Sprintf("How many records do you see whose text contains %s", marker))
		if err != nil {
			return fmt.Errorf("ask what the vendor's page shows: %w", err)
		}
		if told {
			e.asked[c.ID] = n
		}
	}
	return nil
}
