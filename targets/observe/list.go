package observe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// The bounds of one list call. A list that goes on is refused, never cut: a cut list hides duplicates.
const (
	maxPages   = 1000
	maxItems   = 100_000
	maxRetries = 5                // times that Retry-After is obeyed
	maxBusy    = 30 * time.Second // what Retry-After may ask for in all
)

// list counts the items of a list call.
type list struct {
	spec  targets.ListCall
	items itemsPath
	deps  Deps
}

func openList(_ context.Context, spec targets.Observer, d Deps) (counter, error) {
	c := *spec.List
	if d.Send == nil {
		return nil, errors.New("a list call needs a sender")
	}
	if c.Page != "" && (c.Next != "" || c.Cursor != "") {
		return nil, errors.New("page excludes next and cursor")
	}
	if c.Cursor != "" && (c.Next == "" || c.Next == nextLink) {
		return nil, errors.New("cursor needs next, the JSONPath of its value")
	}
	items, err := parseItems(c.Items)
	if err != nil {
		return nil, err
	}
	paths := map[string]string{"id": c.ID, "ref": c.Ref}
	if c.Next != nextLink {
		paths["next"] = c.Next
	}
	for field, path := range paths {
		if err := checkPath(field, path); err != nil {
			return nil, err
		}
	}
	return &list{spec: c, items: items, deps: d}, nil
}

func (l *list) close() error { return nil }

func (l *list) count(ctx context.Context, q Query) (tally, error) {
	first, err := l.spec.Build(q.Base, q.Headers, q.Vars)
	if err != nil {
		return tally{}, fmt.Errorf("build the list call: %w", err)
	}
	first.Name = "list"
	where, err := l.where(q)
	if err != nil {
		return tally{}, err
	}
	at, err := url.Parse(first.URL)
	if err != nil {
		return tally{}, errors.New("build the list call: its URL is not valid")
	}
	w := &walk{list: l, ask: l.deps.Send, attempt: first, found: newItems(l.spec.ID, l.spec.Ref, where)}
	if q.Send != nil {
		w.ask = q.Send
	}
	if err := w.all(ctx, at); err != nil {
		return tally{}, err
	}
	return w.found.tally, nil
}

// where is the text that an item must contain; empty where the target file asks for none.
func (l *list) where(q Query) (string, error) {
	if l.spec.Where == "" {
		return "", nil
	}
	text, err := targets.Expand(l.spec.Where, q.Vars)
	if err != nil {
		return "", fmt.Errorf("expand where: %w", err)
	}
	if text == "" {
		return "", errors.New("expand where: it is empty, and every item would match")
	}
	return text, nil
}

// walk is one way through the pages.
type walk struct {
	list    *list
	ask     func(context.Context, targets.Attempt) targets.Exchange
	attempt targets.Attempt // of every page, but for its URL
	found   *items
	busy    time.Duration // waited because the target asked for it
}

// all reads page after page into w.found.
func (w *walk) all(ctx context.Context, at *url.URL) error {
	p, at := newPager(w.list.spec, at)
	for n := 1; ; n++ {
		page, err := w.fetch(ctx, at, n)
		if err != nil {
			return err
		}
		if err := w.found.add(page); err != nil {
			return fmt.Errorf("page %d: %w", n, err)
		}
		next, err := p.next(page)
		if err != nil {
			return fmt.Errorf("page %d: %w", n, err)
		}
		if next == nil {
			return nil
		}
		if n == maxPages {
			return fmt.Errorf("the list has more than %d pages", maxPages)
		}
		at = next
	}
}

// page is one answer of the list call.
type page struct {
	number int // of the walk, from 1
	url    *url.URL
	header http.Header
	body   []byte
	items  []any
}

func (w *walk) fetch(ctx context.Context, at *url.URL, n int) (page, error) {
	a := w.attempt
	a.URL = at.String()
	x, err := w.send(ctx, a)
	if err != nil {
		return page{}, err
	}
	if err := readable(x, w.list.deps.Redact); err != nil {
		return page{}, err
	}
	items, err := w.list.items.in(x.Content)
	if err != nil {
		return page{}, fmt.Errorf("%s answered %s: %w: %s", what(x), kindOfAnswer(x), err, excerpt(x.Content, w.list.deps.Redact))
	}
	return page{number: n, url: at, header: x.Answer, body: x.Content, items: items}, nil
}

// send obeys 429 and 503 with Retry-After, which are no verdict, within the bounds.
func (w *walk) send(ctx context.Context, a targets.Attempt) (targets.Exchange, error) {
	for try := 0; ; try++ {
		x := w.ask(ctx, a)
		d, asked := retryAfter(x, w.list.deps.Now())
		if !asked || try == maxRetries || w.busy+d > maxBusy {
			return x, nil
		}
		w.busy += d
		if err := w.list.deps.Wait(ctx, d); err != nil {
			return x, fmt.Errorf("wait because %s answered %d: %w", what(x), x.Status, err)
		}
	}
}

// retryAfter reads the header in both forms of RFC 9110 section 10.2.3. A wait of zero becomes a short one.
func retryAfter(x targets.Exchange, now time.Time) (time.Duration, bool) {
	if x.Status != http.StatusTooManyRequests && x.Status != http.StatusServiceUnavailable {
		return 0, false
	}
	if d, said := x.RetryAfter(now); said {
		return max(d, minPoll), true
	}
	return 0, false
}
