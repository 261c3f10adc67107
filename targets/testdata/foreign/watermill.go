package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
)

// eventField is where the id of an event is kept in a message.
const eventField = "event"

// watermillReceiver takes events as messages through Watermill's Deduplicator, by their id. The handler makes an order
// of each; an event that is dropped as a duplicate is acknowledged like one that was worked on.
func watermillReceiver(s *service) (http.Handler, error) {
	repository, err := middleware.NewMapExpiringKeyRepository(time.Hour)
	if err != nil {
		return nil, err
	}
	unique := &middleware.Deduplicator{
		KeyFactory: middleware.NewMessageHasherFromMetadataField(eventField),
		Repository: repository,
		Timeout:    time.Second,
	}
	handle := unique.Middleware(func(m *message.Message) ([]*message.Message, error) {
		r := m.Context().Value(delivery{}).(*http.Request)
		r.Body = io.NopCloser(bytes.NewReader(m.Payload))
		_, err := s.accept(r, "orders")
		return nil, err
	})
	mux := s.routes()
	mux.HandleFunc("POST /events", func(w http.ResponseWriter, r *http.Request) {
		m, err := toMessage(r)
		if err == nil {
			_, err = handle(m)
		}
		if err != nil {
			fail(w, err)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	})
	return mux, nil
}

// delivery is the request that brought a message.
type delivery struct{}

func toMessage(r *http.Request) (*message.Message, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, errors.Join(&failure{http.StatusBadRequest, "the body cannot be read"}, err)
	}
	m := message.NewMessage(watermill.NewUUID(), body)
	if id := r.Header.Get("Webhook-Id"); id != "" {
		m.Metadata.Set(eventField, id)
	}
	m.SetContext(context.WithValue(context.WithoutCancel(r.Context()), delivery{}, r))
	return m, nil
}
