package reference

import (
	"testing"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// receiverOf starts a stand-in for a receiver of which a profile says this.
func receiverOf(t *testing.T, key targets.Key, d targets.Delivery) *service {
	t.Helper()
	if key.In == "" {
		key.In = targets.InNone
	}
	return start(t, Options{Profile: &targets.Profile{Name: "hooks", Role: targets.RoleReceiver, Key: key, Delivery: &d}})
}

// A stand-in takes for the id of an event what the profile says.
func TestStandInReceives(t *testing.T) {
	t.Parallel()
	a, b := `{"id":"e1","on":{"at":1},"data":`+body("a")+`}`, `{"id":"e1","on":{"at":2},"data":`+body("b")+`}`
	for name, c := range map[string]struct {
		key  targets.Key
		d    targets.Delivery
		send func(*service) []reply
		want string
	}{
		"one member":        {d: targets.Delivery{Identity: targets.Strings{"/id"}}, send: both(a, b), want: "202 200"},
		"two members":       {d: targets.Delivery{Identity: targets.Strings{"/id", "/on/at"}}, send: both(a, b), want: "202 202"},
		"a list":            {d: targets.Delivery{Identity: targets.Strings{"/0/id"}}, send: both("["+a+"]", "["+b+"]"), want: "202 200"},
		"nothing there":     {d: targets.Delivery{Identity: targets.Strings{"/other"}}, send: both(a, a), want: "202 202"},
		"no header":         {d: targets.Delivery{Identity: targets.Strings{"header:X-Id"}}, send: both(a, a), want: "202 202"},
		"a key":             {key: targets.Key{In: targets.InBody, Name: "/id"}, send: both(a, b), want: "202 200"},
		"a key and more":    {key: targets.Key{In: targets.InBody, Name: "/id"}, d: targets.Delivery{Identity: targets.Strings{"/on/at"}}, send: both(a, b), want: "202 202"},
		"a key too long":    {key: targets.Key{In: targets.InBody, Name: "/id", MaxLength: 1}, send: both(a, a), want: "400 400"},
		"one fact":          {d: targets.Delivery{Identity: targets.Strings{"/on/at"}, Fact: targets.Strings{"/id"}}, send: both(a, b), want: "202 200"},
		"no JSON":           {d: targets.Delivery{Identity: targets.Strings{"/id"}}, send: both("text", "[]"), want: "400 400"},
		"no task":           {d: targets.Delivery{Identity: targets.Strings{"/id"}}, send: both(`{"id":"e1"}`, a), want: "400 202"},
		"its own status":    {d: targets.Delivery{Identity: targets.Strings{"/id"}, Ack: targets.Ints{204}}, send: both(a, b), want: "204 204"},
		"a signature lacks": {d: targets.Delivery{Sign: &targets.Signing{Scheme: targets.SchemeGitHub}}, send: both(a, a), want: "401 401"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "answers", statuses(c.send(receiverOf(t, c.key, c.d))...), c.want)
		})
	}
}

func both(first, second string) func(*service) []reply {
	return func(s *service) []reply { return []reply{s.event(first), s.event(second)} }
}

// What is signed in each scheme is taken, and nothing that was changed afterwards.
func TestStandInChecksSignatures(t *testing.T) {
	t.Parallel()
	payload := `{"data":` + body("a") + `}`
	for _, scheme := range targets.Schemes() {
		t.Run(string(scheme), func(t *testing.T) {
			t.Parallel()
			header := ""
			if scheme == targets.SchemeHex || scheme == targets.SchemeBase64 {
				header = "X-Sig"
			}
			s := receiverOf(t, targets.Key{}, targets.Delivery{Sign: &targets.Signing{Scheme: scheme, Header: header}})
			sign := &targets.Sign{Scheme: scheme, Header: header, Secret: webhookSecret}
			deliver := func(sign *targets.Sign, sent string, at time.Time) reply {
				a := targets.Attempt{Method: "POST", URL: s.url + "/v1/webhooks/crm", Body: []byte(payload)}
				if err := sign.Seal(&a, "e1", at); err != nil {
					t.Fatal(err)
				}
				headers := []string{"Webhook-Id: e1"}
				for name, values := range a.Header {
					headers = append(headers, name+": "+values[0])
				}
				return s.event(sent, headers...)
			}
			equal(t, "genuine", statuses(deliver(sign, payload, time.Now())), "202")
			equal(t, "changed, forged", statuses(deliver(sign, payload+" ", time.Now()), deliver(sign.Forged(), payload, time.Now())), "401 401")
			old := "401"
			if scheme == targets.SchemeGitHub || scheme == targets.SchemeHex || scheme == targets.SchemeBase64 {
				old = "200" // no time is signed
			}
			equal(t, "old", statuses(deliver(sign, payload, time.Now().Add(-time.Hour))), old)
		})
	}
}
