package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// order is what is counted.
type order struct {
	ID        string    `json:"id"`
	Reference string    `json:"reference"`
	Customer  string    `json:"customer"`
	Note      string    `json:"note"`
	Amount    int64     `json:"amount"` // in cents
	CreatedAt time.Time `json:"created_at"`
}

// parseOrder reads and checks a body.
func parseOrder(body []byte) (order, error) {
	var o order
	if err := json.Unmarshal(body, &o); err != nil {
		return order{}, badRequest("malformed_body", "the body is no order in JSON: "+err.Error())
	}
	switch {
	case o.Customer == "":
		return order{}, badRequest("invalid_order", "customer is missing")
	case o.Amount <= 0:
		return order{}, badRequest("invalid_order", "amount is not a positive number of cents")
	case strings.ContainsRune(o.Reference+o.Customer+o.Note, 0):
		return order{}, badRequest("invalid_order", "a text holds a zero byte")
	}
	return o, nil
}

// digest is the same for bodies that differ in the order of their members and in white space only. Numbers are compared
// as they are written: nothing is lost on the way through a float.
func digest(body []byte) ([]byte, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, badRequest("malformed_body", "the body is no JSON: "+err.Error())
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, badRequest("malformed_body", "something follows the JSON of the body")
	}
	canonical, err := json.Marshal(v) // with the members in order
	if err != nil {
		return nil, badRequest("malformed_body", "the body cannot be compared: "+err.Error())
	}
	sum := sha256.Sum256(canonical)
	return sum[:], nil
}

// unreadable says why a body was not read.
func unreadable(err error) error {
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return problem{http.StatusRequestEntityTooLarge, "body_too_large", "the body is longer than 1 MiB"}
	}
	return badRequest("incomplete_body", "the body did not arrive")
}
