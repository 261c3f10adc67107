package reference

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// The number of records on one page of a list.
const (
	defaultLimit = 50
	maxLimit     = 500
)

// page is a part of a list: after a position, or with a number from 1.
type page struct {
	limit, number int
	after         int64
}

// filter is a condition on a list and its arguments.
type filter struct {
	where     string
	arguments []any
}

// and adds a condition with one argument, unless the argument is empty.
func (f filter) and(condition, argument string) filter {
	if argument == "" {
		return f
	}
	return filter{f.where + " AND " + condition, append(f.arguments, argument)}
}

// listTasks answers GET /v1/tasks: q is a part of the note, owner or event.
func (s *Server) listTasks(ctx context.Context, r *request) (answer, error) {
	q := r.URL.Query()
	f := filter{}.and(`account = ?`, q.Get("account")).
		and(`instr(note || char(10) || owner || char(10) || event, ?) > 0`, q.Get("q"))
	return list(ctx, s, r, "tasks", selectTask, f, scanTask)
}

// listNotes answers GET /v1/review-notes: q is a part of the note or event.
func (s *Server) listNotes(ctx context.Context, r *request) (answer, error) {
	q := r.URL.Query()
	f := filter{}.and(`account = ?`, q.Get("account")).
		and(`instr(note || char(10) || event, ?) > 0`, q.Get("q"))
	return list(ctx, s, r, "notes", selectNote, f, scanNote)
}

// listMails answers GET /v1/outbox: q is a part of the body.
func (s *Server) listMails(ctx context.Context, r *request) (answer, error) {
	q := r.URL.Query()
	f := filter{}.and(`kind = ?`, q.Get("kind")).and(`instr(body, ?) > 0`, q.Get("q"))
	return list(ctx, s, r, "mails", selectMail, f, scanMail)
}

// scanner is one row of a query.
type scanner interface{ Scan(...any) error }

// list answers a list request with one page of the records that belong to
// the tenant and environment of the request and pass the filter.
func list[T interface{ position() int64 }](ctx context.Context, s *Server, r *request, name, query string, f filter,
	scan func(scanner) (T, error),
) (answer, error) {
	p, err := readPage(r.URL.Query())
	if err != nil {
		return answer{}, err
	}
	f = filter{`tenant = ? AND environment = ? AND seq > ?` + f.where,
		append([]any{r.caller.tenant, r.environment, p.after}, f.arguments...)}
	rows, err := s.store.reads.QueryContext(ctx, query+` WHERE `+f.where+` ORDER BY seq LIMIT ? OFFSET ?`,
		append(f.arguments, p.limit+1, max(p.number-1, 0)*p.limit)...)
	if err != nil {
		return answer{}, fmt.Errorf("list the %s: %w", name, err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	items := []T{}
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return answer{}, err
		}
		items = append(items, item)
	}
	if err := rows.Err(); err != nil {
		return answer{}, fmt.Errorf("list the %s: %w", name, err)
	}
	return listAnswer(r.URL, p, name, items)
}

// listAnswer writes one page; one item more than the page holds means that
// there is a next one.
func listAnswer[T interface{ position() int64 }](u *url.URL, p page, name string, items []T) (answer, error) {
	var next *string
	if len(items) > p.limit {
		items = items[:p.limit]
		link := p.next(u, items[p.limit-1].position())
		next = &link
	}
	reply, err := jsonAnswer(http.StatusOK, map[string]any{name: items, "next": next})
	if err == nil && next != nil {
		reply.Header["Link"] = "<" + *next + `>; rel="next"`
	}
	return reply, err
}

// readPage reads limit, cursor and page. A cursor is opaque to clients.
func readPage(q url.Values) (page, error) {
	p := page{limit: defaultLimit}
	var errs []fieldError
	number := func(name string, low, high int64, set func(int64)) {
		text := q.Get(name)
		if text == "" {
			return
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < low || n > high {
			errs = append(errs, fieldError{name, "is out of range"})
			return
		}
		set(n)
	}
	number("limit", 1, maxLimit, func(n int64) { p.limit = int(n) })
	number("page", 1, 1<<31, func(n int64) { p.number = int(n) })
	number("cursor", 0, 1<<62, func(n int64) { p.after = n })
	if len(errs) > 0 {
		return p, invalid(errs...)
	}
	return p, nil
}

// next is the relative address of the page after p, by number if p was asked
// for by number.
func (p page) next(u *url.URL, last int64) string {
	q := u.Query()
	if p.number > 0 {
		q.Set("page", strconv.Itoa(p.number+1))
	} else {
		q.Set("cursor", strconv.FormatInt(last, 10))
	}
	return u.Path + "?" + q.Encode()
}

// read answers with one record of the tenant and environment of the request.
func read[T any](ctx context.Context, s *Server, r *request, what, query string, seq int64, scan func(scanner) (T, error)) (answer, error) {
	rows, err := s.store.reads.QueryContext(ctx, query+` WHERE tenant = ? AND environment = ? AND seq = ?`,
		r.caller.tenant, r.environment, seq)
	if err != nil {
		return answer{}, fmt.Errorf("read the %s: %w", what, err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return answer{}, fmt.Errorf("read the %s: %w", what, err)
		}
		return answer{}, notFound(what)
	}
	record, err := scan(rows)
	if err != nil {
		return answer{}, err
	}
	return jsonAnswer(http.StatusOK, record)
}
