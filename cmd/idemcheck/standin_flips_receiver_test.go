package main

import (
	"slices"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// receiverReaders are the cases that read what a receiver's profile says, in the same way.
var receiverReaders = map[string][]string{
	"key":              {"webhook-twice"}, // what is taken for the id of an event shows when it comes again
	"key.max_length":   {"webhook-first"},
	"key.min_length":   {"webhook-first"},
	"key.alphabet":     {"webhook-first"},
	"replay":           {"webhook-acknowledged"},
	"delivery":         {"webhook-twice"},
	"delivery.ack":     {"webhook-first"},
	"delivery.fact":    {"webhook-one-fact"},
	"delivery.horizon": {"webhook-redelivered"},
	"delivery.memory":  {"webhook-remembered"},
	"delivery.renewed": {"webhook-redelivered"},
	"delivery.sign":    {"webhook-forged"},
}

// receiverGround has the stand-in for a receiver remember an event only as long as is advised, or know nothing of facts,
// by which it would find out a repeat, too.
func receiverGround(p *targets.Profile, v targets.ProfileValue) string {
	own := *p.Delivery
	p.Delivery = &own
	switch {
	case v.Path() == "delivery.memory" && own.Memory < own.Horizon:
		own.Horizon = 0
		return "delivery.horizon none"
	case (v.Section == "key" || v.Path() == "delivery.identity") && len(own.Fact) > 0:
		own.Fact = nil
		return "delivery.fact none"
	}
	return ""
}

func flipDelivery(d *targets.Delivery, v targets.ProfileValue) bool {
	switch v.Path() {
	case "delivery.identity":
		d.Identity = targets.Strings{"header:Flipped"}
	case "delivery.renewed":
		d.Identity = append(slices.Clone(d.Identity), d.Renewed...)
	case "delivery.fact":
		d.Fact = targets.Strings{"header:Flipped"}
	case "delivery.ack":
		d.Ack = targets.Ints{299}
	case "delivery.horizon":
		d.Horizon, d.Memory = d.Horizon/2, 0
	case "delivery.memory":
		d.Memory /= 2
	case "delivery.sign.scheme":
		d.Sign = nil // with another one, it would refuse what it is sent before any case
	default:
		return false
	}
	return true
}
