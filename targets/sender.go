package targets

import "context"

// Sender puts attempts on the wire.
type Sender struct{}

// Send sends one attempt.
func (s *Sender) Send(ctx context.Context, a Attempt) Exchange { panic("not written yet") }
