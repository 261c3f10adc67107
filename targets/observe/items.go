package observe

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// items collects what the pages hold. Two items with one id on the same page are two: the list shows two records. An id
// that an earlier page showed is not counted again: lists that move while they are read repeat items at page borders.
// Items without an id cannot be told apart in that way, and each of them counts.
type items struct {
	tally
	id, ref, where string
	seen           int
	page           map[string]int // the page that showed an id first
}

func newItems(id, ref, where string) *items {
	s := &items{id: id, ref: ref, where: where, page: map[string]int{}}
	if id != "" {
		s.ids = []string{}
	}
	if ref != "" {
		s.refs = []string{}
	}
	return s
}

func (s *items) add(p page) error {
	if s.seen += len(p.items); s.seen > maxItems {
		return fmt.Errorf("the list has more than %d items", maxItems)
	}
	for i, item := range p.items {
		text, err := encode(item)
		if err != nil {
			return fmt.Errorf("item %d: %w", i+1, err)
		}
		if s.where != "" && !holds(text, s.where) {
			continue
		}
		if err := s.keep(text, p.number); err != nil {
			return fmt.Errorf("item %d: %w", i+1, err)
		}
	}
	return nil
}

func (s *items) keep(text []byte, number int) error {
	if s.id != "" {
		id, ok := targets.QueryText(s.id, text)
		if !ok || id == "" {
			return fmt.Errorf("it has no id at %s", s.id)
		}
		if first, known := s.page[id]; known && first != number {
			return nil
		}
		s.page[id] = number
		s.ids = append(s.ids, id)
	}
	if s.ref != "" {
		ref, _ := targets.QueryText(s.ref, text)
		s.refs = append(s.refs, ref)
	}
	s.count++
	return nil
}

// encode writes an item as compact JSON, without HTML escapes, so that where finds what the target wrote.
func encode(item any) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(item); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}

// holds reports whether an item's JSON contains text, as it is or as it stands inside a JSON string.
func holds(item []byte, text string) bool {
	if strings.Contains(string(item), text) {
		return true
	}
	quoted, err := encode(text)
	return err == nil && strings.Contains(string(item), string(quoted[1:len(quoted)-1]))
}
