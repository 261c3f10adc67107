package steps

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/steps/judge"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// shownBody bounds the bodies in the event stream, in bytes.
const shownBody = 8 << 10

// show writes an attempt of the history into the stream.
func (w *world) show(s *sent, purpose string) {
	w.showExchange(s.Exchange, purpose, s.namespace, s.id, s.disposition)
}

// showExchange writes any other exchange: setting up, reading back, cleaning up.
func (w *world) showExchange(x targets.Exchange, purpose, namespace, id string, d reports.Disposition) {
	ev := reports.Redacted(x, w.began, w.target.Secrets, shownBody)
	ev.Purpose, ev.Namespace, ev.ID, ev.Disposition = purpose, namespace, id, d
	w.emit(w.c.ID, reports.Event{Kind: reports.KindExchange, Exchange: &ev})
}

// deletion gives what the delete call of the operation is filled with: a run keeps it of each record.
func (w *world) deletion(s *sent) targets.Vars {
	call := w.target.Operations.Named(s.Operation).Delete
	vars := w.vars(s).With(targets.Vars{"id": s.id})
	maps.DeleteFunc(vars, func(name, _ string) bool { return !strings.Contains(call, name) })
	return vars
}

// remember notes a record that the case has created: it is an event, and it is removed at the end. In a case that
// compares the record later, it is read while it is new.
func (w *world) remember(s *sent) {
	w.engine.keep(createdRecord{
		Record: reports.Record{ID: s.id, Operation: s.Operation, Namespace: s.namespace, Case: w.c.ID, Marker: w.marker},
		vars:   w.deletion(s),
	})
	if !slices.Contains(w.c.Needs, targets.NeedRead) || w.target.Operations.Named(s.Operation).Read == "" {
		return
	}
	// The case's own deadline may be near, but without this reading it could not tell anything.
	x, err := w.readBack(context.Background(), s)
	if err == nil && x.Succeeded() {
		w.originals[s.id] = x.Content
	}
}

// readBack reads the record of an attempt by its id.
func (w *world) readBack(ctx context.Context, s *sent) (targets.Exchange, error) {
	base, headers := w.place(s.namespace)
	op := w.target.Operations.Named(s.Operation)
	a, err := targets.Request{Line: op.Read}.Build(base, headers, w.vars(s).With(targets.Vars{"id": s.id}))
	if err != nil {
		return targets.Exchange{}, err
	}
	a.Name, a.Timeout = "read back "+s.Name, w.target.Timeout.Std()
	x := w.Endpoint.Sender.Send(ctx, a)
	w.showExchange(x, "read back", s.namespace, s.id, "")
	return x, nil
}

// byEnd orders attempts by the end of their answers; those without an answer come last.
func byEnd(all []*sent) []*sent {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b *sent) int {
		if a.Answered() != b.Answered() {
			if a.Answered() {
				return -1
			}
			return 1
		}
		return a.Ended.Compare(b.Ended)
	})
	return out
}

// byCreation orders attempts that ran at the same time so that the one that created the record comes first: an answer
// that is marked as a replay, or says that nothing is new, comes after one that is not, an answer with a record that no
// observer shows where it was sent to comes after one whose record is there, and else the earlier answer comes first.
func (w *world) byCreation(all []*sent, counted map[scope][]targets.Reading) []*sent {
	out := byEnd(all)
	rank := func(s *sent) int {
		n := 0
		replay := w.target.Profile.Replay
		if judge.TellsRepeat(replay.Marker, s.Exchange) || replay.Flag != nil && targets.CodeIn(replay.Flag, s.Exchange) {
			n += 2
		}
		id := w.recordNamed(*w.target.Operations.Named(s.Operation), s)
		if list := counted[s.scope()]; len(list) > 0 && !slices.Contains(list[0].IDs, id) {
			n++
		}
		return n
	}
	slices.SortStableFunc(out, func(a, b *sent) int { return rank(a) - rank(b) })
	return out
}

func pathOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Path == "" {
		return "/"
	}
	return u.Path
}

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// snippet gives the beginning of a body for a message, in one line.
func snippet(body []byte) string {
	const limit = 120
	text := strings.Join(strings.Fields(string(body)), " ")
	if text == "" || !utf8.ValidString(text) {
		return ""
	}
	if r := []rune(text); len(r) > limit {
		text = string(r[:limit]) + "…"
	}
	return ": " + text
}

// containsWord reports whether word stands in text with no letter or digit next to it.
func containsWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !inWord(before) && !inWord(after) {
			return true
		}
		from = end
	}
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
