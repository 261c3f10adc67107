package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/idempotency"
)

// The two ways in which a Fiber handler says that it fails. The middleware stores what is written, and forgets what is
// returned.
const (
	errorsReturned = "returned" // return fiber.NewError(…)
	errorsWritten  = "written"  // return c.Status(…).JSON(…)
)

// service answers the requests.
type service struct {
	store  *store
	work   time.Duration
	errors string
}

// middleware is Fiber's own, as its documentation shows it, unless its lock is taken away.
func middleware(lock bool) fiber.Handler {
	if !lock {
		return idempotency.New(idempotency.Config{Lock: noLock{}})
	}
	return idempotency.New()
}

// noLock locks nothing.
type noLock struct{}

func (noLock) Lock(string) error   { return nil }
func (noLock) Unlock(string) error { return nil }

// newApp builds the routes: all but the health check need a credential and go through the middleware.
func newApp(s *service, idempotent fiber.Handler) *fiber.App {
	app := fiber.New()
	app.Get("/healthz", func(c fiber.Ctx) error { return c.SendStatus(fiber.StatusNoContent) })
	app.Use(authenticate)
	app.Use(idempotent)
	for _, kind := range []string{"orders", "notes"} {
		app.Post("/"+kind, s.create(kind))
		app.Get("/"+kind, s.list(kind))
		app.Get("/"+kind+"/:id", s.read(kind))
		app.Delete("/"+kind+"/:id", s.remove(kind))
	}
	return app
}

// authenticate takes every credential for a tenant of that name.
func authenticate(c fiber.Ctx) error {
	if c.Get(fiber.HeaderAuthorization) == "" {
		return fiber.NewError(fiber.StatusUnauthorized, "no credential")
	}
	return c.Next()
}

// tenant names the caller. What Fiber gives is only valid during the request, so it is copied.
func tenant(c fiber.Ctx) string { return strings.Clone(c.Get(fiber.HeaderAuthorization)) }

func (s *service) create(kind string) fiber.Handler {
	return func(c fiber.Ctx) error {
		if err := s.toil(c); err != nil {
			return err
		}
		if status, _ := strconv.Atoi(c.Get("Test-Fail")); status != 0 {
			return s.fail(c, status, "told to fail")
		}
		var r record
		if err := c.Bind().JSON(&r); err != nil {
			return s.fail(c, fiber.StatusBadRequest, "the body is no JSON object")
		}
		if r.Account == "" {
			return s.fail(c, fiber.StatusUnprocessableEntity, "account is empty")
		}
		r.Kind, r.Tenant = kind, tenant(c)
		if err := s.store.add(&r); err != nil {
			return err
		}
		c.Set(fiber.HeaderLocation, "/"+kind+"/"+r.ID)
		return c.Status(fiber.StatusCreated).JSON(r.shown)
	}
}

// toil takes the time of a write, and more when the request says so.
func (s *service) toil(c fiber.Ctx) error {
	d := s.work
	if text := c.Get("Test-Slow"); text != "" {
		slow, err := time.ParseDuration(text)
		if err != nil {
			return fiber.NewError(fiber.StatusBadRequest, "Test-Slow is no duration")
		}
		d = slow
	}
	time.Sleep(d)
	return nil
}

func (s *service) fail(c fiber.Ctx, status int, text string) error {
	if s.errors == errorsWritten {
		return c.Status(status).JSON(fiber.Map{"error": text})
	}
	return fiber.NewError(status, text)
}

func (s *service) list(kind string) fiber.Handler {
	return func(c fiber.Ctx) error {
		return c.JSON(fiber.Map{kind: s.store.find(kind, tenant(c), c.Query("q"))})
	}
}

func (s *service) read(kind string) fiber.Handler {
	return func(c fiber.Ctx) error {
		r := s.store.get(kind, tenant(c), c.Params("id"))
		if r == nil {
			return fiber.NewError(fiber.StatusNotFound, "no such record")
		}
		return c.JSON(r.shown)
	}
}

func (s *service) remove(kind string) fiber.Handler {
	return func(c fiber.Ctx) error {
		if s.store.get(kind, tenant(c), c.Params("id")) == nil {
			return fiber.NewError(fiber.StatusNotFound, "no such record")
		}
		if err := s.store.remove(strings.Clone(c.Params("id"))); err != nil {
			return err
		}
		return c.SendStatus(fiber.StatusNoContent)
	}
}
