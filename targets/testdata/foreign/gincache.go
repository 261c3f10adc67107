package main

import (
	"net/http"
	"time"

	cache "github.com/chenyahui/gin-cache"
	"github.com/chenyahui/gin-cache/persist"
	"github.com/gin-gonic/gin"
)

// ginCache keeps answers in gin-cache by a strategy of the request, as its documentation shows: here by method, path,
// tenant and key. A request without a key is not cached.
func ginCache(s *service) (http.Handler, error) {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	keyed := cache.WithCacheStrategyByRequest(func(c *gin.Context) (bool, cache.Strategy) {
		key := c.GetHeader("Idempotency-Key")
		name := c.Request.Method + " " + c.Request.URL.Path + " " + c.GetHeader(tenantHeader) + " " + key
		return key != "", cache.Strategy{CacheKey: name}
	})
	kept := time.Hour
	router.Any("/*path", cache.Cache(persist.NewMemoryStore(kept), kept, keyed), gin.WrapH(s.routes()))
	return router, nil
}
