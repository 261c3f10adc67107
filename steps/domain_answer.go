package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/idempotency-conformance/idemcheck/reports"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// answerIs records what an answer was to be and is not. What the scenario says stands for what is documented.
func (w *world) answerIs(s *sent, what, expected, found string) {
	w.evidence.Judged = true
	if expected == found {
		return
	}
	w.finding(reports.Finding{
		Kind: reports.WrongStatus, Question: reports.QuestionAnswer, Level: w.c.Level, Provenance: targets.Documented,
		Message:  fmt.Sprintf("%q was to be answered with another %s", s.Name, what),
		Expected: expected, Found: found, Exchanges: []string{s.Name},
	})
}

// statusArgs are the arguments of the verb expect_status.
type statusArgs struct {
	Status string `arg:"status" doc:"a status, a class of them such as 2xx, or several, separated by commas"`
	As     string `arg:"as" doc:"the attempt"`
}

func (a statusArgs) check() error {
	for _, one := range strings.Split(a.Status, ",") {
		one = strings.TrimSpace(one)
		n, err := strconv.Atoi(strings.Replace(one, "xx", "00", 1))
		if err != nil || n < 100 || n > 599 || len(one) != 3 {
			return fmt.Errorf("%q is neither a status nor a class of them (201, 2xx)", one)
		}
	}
	return nil
}

func (a statusArgs) takes(status int) bool {
	text := strconv.Itoa(status)
	for _, one := range strings.Split(a.Status, ",") {
		one = strings.TrimSpace(one)
		if one == text || strings.HasSuffix(one, "xx") && one[:1] == text[:1] {
			return true
		}
	}
	return false
}

func (w *world) expectStatus(_ context.Context, a statusArgs) error {
	s, err := w.find(a.As)
	if err != nil {
		return err
	}
	found := "no answer"
	if s.Answered() {
		if found = strconv.Itoa(s.Status); a.takes(s.Status) {
			found = a.Status
		}
	}
	w.answerIs(s, "status", a.Status, found)
	return nil
}

// headerArgs are the arguments of the verb expect_header.
type headerArgs struct {
	Name  string `arg:"name" doc:"the header field, in any letter case"`
	Value string `arg:"value" doc:"its value; without one the field must only be there"`
	As    string `arg:"as" doc:"the attempt"`
}

func (w *world) expectHeader(_ context.Context, a headerArgs) error {
	s, err := w.find(a.As)
	if err != nil {
		return err
	}
	value, want := s.Answer.Get(a.Name), a.Value
	if want == "" {
		want = "any"
		if value != "" {
			value = want
		}
	}
	w.answerIs(s, "header "+a.Name, want, pick(value, "none"))
	return nil
}

// bodyArgs are the arguments of the verb expect_body.
type bodyArgs struct {
	At string `arg:"at" doc:"where in the body: a JSON pointer (/status) or a JSONPath ($.status)"`
	Is string `arg:"is" json:"true" doc:"the value that stands there; without one there must only be something"`
	As string `arg:"as" doc:"the attempt"`
}

func (a bodyArgs) check() error { return checkSpot(a.At) }

func (w *world) expectBody(_ context.Context, a bodyArgs) error {
	s, err := w.find(a.As)
	if err != nil {
		return err
	}
	found, there := spot(s.Exchange, a.At)
	want := a.Is
	switch {
	case !there:
		found = "nothing"
		want = pick(want, "something")
	case want == "" || sameValue(want, found):
		found = want
	}
	w.answerIs(s, "value at "+a.At, want, found)
	return nil
}

// sameValue compares a value of a scenario with one of an answer: as texts, or as the JSON that both are.
func sameValue(a, b string) bool {
	var x, y any
	return a == b || json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// dispositionArgs are the arguments of the verb expect_disposition.
type dispositionArgs struct {
	Disposition string `arg:"disposition" of:"disposition" doc:"what the target did with the attempt"`
	As          string `arg:"as" doc:"the attempt"`
}

func (w *world) expectDisposition(_ context.Context, a dispositionArgs) error {
	s, err := w.find(a.As)
	if err != nil {
		return err
	}
	w.answerIs(s, "disposition", a.Disposition, string(s.disposition))
	return nil
}

// spot finds a value in an answer: header:NAME, a JSON pointer or a JSONPath. A value that is no text is given as JSON.
func spot(x targets.Exchange, at string) (string, bool) {
	if name, header := strings.CutPrefix(at, "header:"); header {
		value := x.Answer.Get(strings.TrimSpace(name))
		return value, value != ""
	}
	if strings.HasPrefix(at, "/") {
		return pointed(x.Content, strings.Split(at, "/")[1:])
	}
	hits, err := targets.Query(at, x.Content)
	if err != nil || len(hits) == 0 {
		return "", false
	}
	return asText(hits[0]), true
}

// checkSpot refuses a place in which nothing can be found.
func checkSpot(at string) error {
	if strings.HasPrefix(at, "/") || strings.HasPrefix(at, "header:") && at != "header:" {
		return nil
	}
	if _, err := targets.Query(at, []byte("{}")); err != nil {
		return fmt.Errorf("read the place %q: expected a JSONPath ($.id), a JSON pointer (/id) or header:Location: %w", at, err)
	}
	return nil
}

// pointed follows the tokens of an RFC 6901 JSON pointer.
func pointed(body []byte, tokens []string) (string, bool) {
	var value any
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.UseNumber()
	if dec.Decode(&value) != nil {
		return "", false
	}
	for _, token := range tokens {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v := value.(type) {
		case map[string]any:
			inner, ok := v[token]
			if !ok {
				return "", false
			}
			value = inner
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return "", false
			}
			value = v[i]
		default:
			return "", false
		}
	}
	return asText(value), true
}

func asText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}
