package observe

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// nextLink is the value of `next` that means the Link header.
const nextLink = "link"

// pager finds the URL of the page after p; nil means that p was the last.
type pager interface {
	next(p page) (*url.URL, error)
}

// newPager makes the pager that spec asks for, and the URL of the first page.
func newPager(spec targets.ListCall, first *url.URL) (pager, *url.URL) {
	switch {
	case spec.Page != "":
		return newNumbers(spec.Page, first)
	case spec.Cursor != "":
		return &cursors{path: spec.Next, param: spec.Cursor, seen: map[string]bool{}}, first
	case spec.Next != "":
		return &links{path: spec.Next, seen: map[string]bool{first.String(): true}}, first
	}
	return onePage{}, first
}

// onePage is for lists without paging. A list that says by its Link header that there is more was misunderstood.
type onePage struct{}

func (onePage) next(p page) (*url.URL, error) {
	if _, ok, err := linkNext(p.header.Values("Link")); ok && err == nil {
		return nil, errors.New("the Link header names a next page, but the list has no `next: link`")
	}
	return nil, nil
}

// links follows URLs, from the body or from the Link header, on the same host only.
type links struct {
	path string
	seen map[string]bool
}

func (l *links) next(p page) (*url.URL, error) {
	ref, ok, err := l.ref(p)
	if err != nil || !ok {
		return nil, err
	}
	u, err := follow(p.url, ref)
	if err != nil {
		return nil, err
	}
	if l.seen[u.String()] {
		return nil, errors.New("the next page is one that was read already")
	}
	l.seen[u.String()] = true
	return u, nil
}

func (l *links) ref(p page) (string, bool, error) {
	if l.path == nextLink {
		return linkNext(p.header.Values("Link"))
	}
	return valueAt(l.path, p.body)
}

// follow resolves a reference against the page that named it. Another scheme, host or port is refused: credentials
// would go there.
func follow(from *url.URL, ref string) (*url.URL, error) {
	u, err := from.Parse(ref)
	if err != nil {
		return nil, errors.New("the next page's URL is not valid")
	}
	if origin(u) != origin(from) {
		return nil, fmt.Errorf("the next page is on %s, which is not followed from %s", origin(u), origin(from))
	}
	u.User, u.Fragment, u.RawFragment = from.User, "", ""
	return u, nil
}

// origin is scheme, host and port (RFC 6454), with the default port written out.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme) + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// cursors puts the value found in one page into the query of the next.
type cursors struct {
	path, param string
	seen        map[string]bool
}

func (c *cursors) next(p page) (*url.URL, error) {
	value, ok, err := valueAt(c.path, p.body)
	if err != nil || !ok {
		return nil, err
	}
	if c.seen[value] {
		return nil, errors.New("the next cursor is one that was used already")
	}
	c.seen[value] = true
	return withParam(p.url, c.param, value), nil
}

// numbers counts pages up until one is empty.
type numbers struct {
	param string
	at    int
	seen  map[[sha256.Size]byte]int // page by the digest of its items
}

// newNumbers begins at the number in the request line (some targets count from 0), else at 1.
func newNumbers(param string, first *url.URL) (*numbers, *url.URL) {
	at, err := strconv.Atoi(first.Query().Get(param))
	if err != nil {
		at = 1
	}
	return &numbers{param: param, at: at, seen: map[[sha256.Size]byte]int{}}, withParam(first, param, strconv.Itoa(at))
}

func (n *numbers) next(p page) (*url.URL, error) {
	if len(p.items) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(p.items)
	if err != nil {
		return nil, fmt.Errorf("compare with other pages: %w", err)
	}
	// A target that does not know the parameter gives its first page again and again.
	sum := sha256.Sum256(text)
	if before, ok := n.seen[sum]; ok {
		return nil, fmt.Errorf("%s=%d has the same items as %s=%d", n.param, n.at, n.param, before)
	}
	n.seen[sum] = n.at
	n.at++
	return withParam(p.url, n.param, strconv.Itoa(n.at)), nil
}

func withParam(u *url.URL, name, value string) *url.URL {
	q := u.Query()
	q.Set(name, value)
	out := *u
	out.RawQuery = q.Encode()
	return &out
}

// valueAt reads a URL or a cursor. Nothing there, null, false and the empty text mean that there is no next page.
func valueAt(path string, body []byte) (string, bool, error) {
	found, err := targets.Query(path, body)
	if err != nil {
		return "", false, fmt.Errorf("find %s: %w", path, err)
	}
	if len(found) == 0 {
		return "", false, nil
	}
	if len(found) > 1 {
		return "", false, fmt.Errorf("%s finds %d values and not one", path, len(found))
	}
	switch v := found[0].(type) {
	case nil:
		return "", false, nil
	case string:
		return v, v != "", nil
	case bool:
		if !v {
			return "", false, nil
		}
	case json.Number, float64, int64, int:
		text, ok := targets.QueryText(path, body)
		return text, ok, nil
	}
	return "", false, fmt.Errorf("%s is neither a text nor a number", path)
}
