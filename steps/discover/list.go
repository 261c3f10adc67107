package discover

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/intake"
	"github.com/idempotency-conformance/idemcheck/targets/observe"
)

// listed waits until the list call shows the record of a create, and completes the draft's list call by what it sees:
// where the items stand, where their id, whether they have to be filtered, how far the list lags behind. It says why
// the record was not found; empty where it was.
func (p *prober) listed(ctx context.Context, d *intake.Draft, marker, id string) (why string, err error) {
	list := *d.List
	d.List = &list
	began, missed := p.Now(), false
	for {
		n, problem, err := p.counted(ctx, d, marker)
		if err != nil || problem != "" {
			return problem, err
		}
		passed := p.Now().Sub(began)
		switch {
		case n == 1:
			if missed {
				p.lag = max(p.lag, passed)
				list.Settle = (2*p.lag + 50*time.Millisecond).Round(10 * time.Millisecond).String()
			}
			return p.settle(ctx, d, marker, id)
		case n > 1 && list.Where == "":
			list.Where = "{{marker}}" // the query does not filter
			continue
		case n > 1:
			return fmt.Sprintf("the list call shows %d records with a text that was sent once", n), nil
		case passed >= p.Patience:
			p.Patience = max(p.Patience/2, time.Second) // the next place is not waited for as long
			return fmt.Sprintf("the record was created, but the list call never showed it within %s", passed.Round(time.Second)), nil
		}
		missed = true
		if p.Wait(ctx, poll) != nil {
			return "interrupted", nil
		}
	}
}

// poll is the pause between two looks at a list that lags behind.
const poll = 20 * time.Millisecond

// settle holds the list against a text that was never sent, and takes over what the record looks like in it.
func (p *prober) settle(ctx context.Context, d *intake.Draft, marker, id string) (why string, err error) {
	unused := marker + "-never-sent"
	n, problem, err := p.counted(ctx, d, unused)
	if err == nil && n > 0 && d.List.Where == "" {
		d.List.Where = "{{marker}}" // one record in all, whatever is asked for
		if n, problem, err = p.counted(ctx, d, unused); err == nil && n == 0 {
			return p.listed(ctx, d, marker, id)
		}
	}
	if err != nil || problem != "" {
		return problem, err
	}
	if n > 0 {
		return fmt.Sprintf("the list call shows %d records for a text that was never sent", n), nil
	}
	x, err := p.get(ctx, d, d.List.Line, targets.Vars{"marker": marker})
	if err != nil {
		return "", err
	}
	if d.List.ID == "" {
		d.List.ID = guessItemID(x.Content, d.List.Items, id)
	}
	return "", nil
}

// counted asks the list call for a marker.
func (p *prober) counted(ctx context.Context, d *intake.Draft, marker string) (n int, why string, err error) {
	if d.List.Items == "" {
		if why, err = p.guessItems(ctx, d, marker); err != nil || why != "" {
			return 0, why, err
		}
	}
	t, err := d.Target(fileName, p.Env)
	if err != nil {
		return 0, "", err
	}
	endpoint, err := p.Open(ctx, t)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = endpoint.Close() }()
	spec := t.Observers[0]
	spec.Settle = 0
	o, err := observe.Open(ctx, spec, observe.Deps{Send: func(ctx context.Context, a targets.Attempt) targets.Exchange {
		p.res.Requests++
		return endpoint.Sender.Send(ctx, a)
	}, Now: p.Now, Wait: p.Wait, Redact: t.Secrets.Redact})
	if err != nil {
		return 0, "", err
	}
	r := o.Count(ctx, observe.Query{Vars: targets.Vars{"marker": marker}, Base: endpoint.URL, Headers: t.Headers})
	if err := o.Close(); err != nil {
		return 0, "", err
	}
	if r.Err != "" {
		return 0, "the list call cannot count: " + printable(r.Err, 300), nil
	}
	return r.Count, "", nil
}

// guessItems finds the list of records in the list call's answer: the answer itself, or the one member that is a list.
func (p *prober) guessItems(ctx context.Context, d *intake.Draft, marker string) (why string, err error) {
	x, err := p.get(ctx, d, d.List.Line, targets.Vars{"marker": marker})
	if err != nil {
		return "", err
	}
	var value any
	if !x.Succeeded() || json.Unmarshal(x.Content, &value) != nil {
		return "the list call gives no JSON: " + answered(x), nil
	}
	if d.List.Items = itemsIn(value, "$", 0); d.List.Items == "" {
		return "the list call's answer holds no list; say where its items are (--items)", nil
	}
	return "", nil
}

func itemsIn(value any, path string, depth int) string {
	switch v := value.(type) {
	case []any:
		return path + "[*]"
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if _, isList := v[name].([]any); isList && plainName(name) {
				return path + "." + name + "[*]"
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if found := ""; depth < 2 && plainName(name) {
				if found = itemsIn(v[name], path+"."+name, depth+1); found != "" {
					return found
				}
			}
		}
	}
	return ""
}

// guessItemID finds the member of an item that holds the id of the record.
func guessItemID(content []byte, items, id string) string {
	hits, err := targets.Query(items, content)
	if err != nil {
		return ""
	}
	for _, hit := range hits {
		object, _ := hit.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if plainName(name) && fmt.Sprint(object[name]) == id {
				return "$." + name
			}
		}
	}
	return ""
}

// guessID finds the path of the record's id in the answer to a create.
func guessID(x targets.Exchange) string {
	var value any
	if json.Unmarshal(x.Content, &value) == nil {
		if object, ok := value.(map[string]any); ok {
			if path := idIn(object, "$", 0); path != "" {
				return path
			}
		}
	}
	if x.Answer.Get("Location") != "" {
		return "header:Location"
	}
	return ""
}

func idIn(object map[string]any, path string, depth int) string {
	for _, name := range []string{"id", "uuid", "guid", "_id", "ID", "Id", "key", "number"} {
		if isID(object[name]) {
			return path + "." + name
		}
	}
	names := slices.Sorted(maps.Keys(object))
	for _, name := range names {
		if inner, ok := object[name].(map[string]any); ok && depth < 2 && plainName(name) {
			if found := idIn(inner, path+"."+name, depth+1); found != "" {
				return found
			}
		}
	}
	for _, name := range names {
		if plainName(name) && isID(object[name]) && (strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id")) {
			return path + "." + name
		}
	}
	return ""
}

func isID(v any) bool {
	switch v := v.(type) {
	case string:
		return v != ""
	case float64:
		return true
	}
	return false
}

// plainName reports whether a member can stand in a JSONPath without brackets.
func plainName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && (name[0] < '0' || name[0] > '9')
}
