package main

import (
	"net/http"

	"github.com/moov-io/base/idempotent"
	"github.com/moov-io/base/idempotent/lru"
)

// moov uses the recorder of moov-io/base as its package shows it: a key that was seen is answered by the package.
func moov(s *service) (http.Handler, error) {
	recorder, next := lru.New(), s.routes()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, seen := idempotent.FromRequest(r, recorder); seen {
			idempotent.SeenBefore(w)
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}
