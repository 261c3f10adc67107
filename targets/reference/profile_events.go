package reference

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// senderManners is how a stand-in receives the events of a sender: what the profile of a receiver documents of them.
// Whatever it does not say stays the reference's own behaviour, and so does everything where there is none (nil).
type senderManners struct{ manners }

// senderOf gives the manners towards the sender that a profile speaks of; nil for a profile of a server, and for none.
func senderOf(p *targets.Profile) *senderManners {
	if p == nil || p.Role != targets.RoleReceiver {
		return nil
	}
	m := &senderManners{manners{*p}}
	if m.Delivery == nil {
		m.Delivery = &targets.Delivery{}
	}
	return m
}

// read reads an event where its sender puts things. The task that it asks for is in the member data of the event, or of
// the first event where there is a list. A sender of such a profile has no other kinds of events than those that ask for one.
func (m *senderManners) read(r *request, newID func() string) (event, error) {
	item, err := firstOf(r.body)
	if err != nil {
		return event{}, err
	}
	e := event{Type: reviewRequested, Data: item.Data}
	if e.Fact, err = m.factOf(r); err != nil {
		return event{}, err
	}
	if e.ID, err = m.idOf(r, newID); err != nil {
		return event{}, err
	}
	return e, e.check()
}

// delivered is what every event holds, wherever its sender puts the rest.
type delivered struct {
	Data taskInput `json:"data"`
}

func firstOf(body []byte) (item delivered, err error) {
	var list []delivered
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		return list[0], nil
	}
	if json.Unmarshal(body, &item) != nil {
		return item, problem{Status: http.StatusBadRequest, Code: "malformed", Detail: "The body must be an event as a JSON object, or a list of events."}
	}
	return item, nil
}

// idOf gives what identifies an event: its key, and the values at the places of its identity. What has neither is an
// event of its own each time, since nothing says that it came before. Where no place is documented, the id stands where
// the reference's own CRM puts it.
func (m *senderManners) idOf(r *request, newID func() string) (string, error) {
	if m.Key.In == targets.InNone && len(m.Delivery.Identity) == 0 {
		return r.Header.Get("webhook-id"), nil
	}
	values, err := valuesAt(r, m.Delivery.Identity)
	if err != nil || values == nil && len(m.Delivery.Identity) > 0 {
		return newID(), err
	}
	if m.Key.In != targets.InNone {
		copied := *r
		a := &attempt{request: &copied}
		if err := m.takeKey(a); err != nil {
			return "", err
		}
		if !a.keyed {
			return newID(), nil
		}
		values = append(values, a.key)
	}
	return quoted(values), nil
}

// factOf gives the fact that an event tells of; empty where the profile does not say what one is.
func (m *senderManners) factOf(r *request) (string, error) {
	values, err := valuesAt(r, m.Delivery.Fact)
	return quoted(values), err
}

// quoted joins values so that no two lists look alike.
func quoted(values []string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.Quote(v)
	}
	return strings.Join(texts, " ")
}

// valuesAt gives the values at some places of a delivery; none where one of them is missing.
func valuesAt(r *request, places []string) ([]string, error) {
	var doc any
	if err := json.Unmarshal(r.body, &doc); err != nil {
		return nil, problem{Status: http.StatusBadRequest, Code: "malformed", Detail: "The body must be JSON."}
	}
	var values []string
	for _, at := range places {
		value := any(r.Header.Get(strings.TrimPrefix(at, "header:")))
		if strings.HasPrefix(at, "/") {
			value = pointed(doc, strings.Split(at[1:], "/"))
		}
		if value == nil || value == "" {
			return nil, nil
		}
		text, err := json.Marshal(value)
		if err != nil { // what was read as JSON always encodes
			panic(err)
		}
		values = append(values, string(text))
	}
	return values, nil
}

// pointed gives the value at the end of some steps into a JSON value; nil where there is none.
func pointed(doc any, steps []string) any {
	if len(steps) == 0 {
		return doc
	}
	switch d := doc.(type) {
	case map[string]any:
		return pointed(d[steps[0]], steps[1:])
	case []any:
		if i, err := strconv.Atoi(steps[0]); err == nil && i >= 0 && i < len(d) {
			return pointed(d[i], steps[1:])
		}
	}
	return nil
}

// remembered is how long an event is known: as long as its sender may deliver it again, and as long as is advised; 0 is
// for ever.
func (m *senderManners) remembered() time.Duration {
	if m == nil {
		return 0
	}
	return max(m.Delivery.Horizon, m.Delivery.Memory).Std()
}

// answered gives the acknowledgement of a delivery the status that its sender wants. A repeat is acknowledged, too, where
// that is documented.
func (m *senderManners) answered(reply answer, repeat bool) (answer, error) {
	if m == nil {
		return reply, nil
	}
	if mode := spoken(m.Replay); repeat && mode != "" && mode != targets.ModeAck {
		return answer{}, problem{Status: http.StatusConflict, Code: "duplicate_event", Detail: "This event was received before."}
	}
	if len(m.Delivery.Ack) > 0 {
		reply.Status = m.Delivery.Ack[0]
	}
	return reply, nil
}
