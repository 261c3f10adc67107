package reference

import (
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// places lists how a key is taken out of a request, by the place where it travels. Each gives the key and whether there
// is one, and leaves the request as it would be without.
var places = map[targets.KeyIn]func(targets.Key, *request) (string, bool, error){
	targets.InHeader:    fromHeader,
	targets.InBody:      fromBody,
	targets.InQuery:     fromQuery,
	targets.InForm:      fromForm,
	targets.InDirective: fromDirective,
	targets.InNone:      fromUniqueMember,
}

// uniqueMember is the member of the body that does the work of a key where a profile knows none.
const uniqueMember = "/external_id"

// takeKey reads the key of an attempt from its place.
func (m *manners) takeKey(a *attempt) error {
	if len(m.Key.Methods) > 0 && !slices.Contains(m.Key.Methods, a.Method) {
		return nil // it counts on other methods only
	}
	key, there, err := places[m.Key.In](m.Key, a.request)
	switch {
	case err != nil:
		return keyProblem("idempotency_key_invalid", err)
	case !there || key == "" || m.madeOtherwise(key) || m.alone(a.request):
		return m.withoutKey(a)
	}
	a.key, a.keyed = key, true
	return m.checkKey(a)
}

// madeOtherwise reports whether a key is a UUID or a ULID, and not of the documented kind: then it counts as none.
func (m *manners) madeOtherwise(key string) bool {
	made, want := targets.MadeBy(key), m.Key.Generator
	return made != "" && made != want && want != "" && want != targets.GeneratorRandom
}

// withoutKey is what becomes of a request without a key.
func (m *manners) withoutKey(a *attempt) error {
	mode := spoken(m.Missing)
	if mode == targets.ModeNever {
		return errNoKeyAtAll
	}
	if !a.op.keyRequired || mode == targets.ModeExecutes || mode == targets.ModeServerGenerates || m.Key.In == targets.InNone {
		return nil
	}
	own := keyProblem("idempotency_key_missing", errors.New("there is no key at "+m.Key.Place()))
	return m.refusal(m.Missing, own, "")
}

// errNoKeyAtAll is the failure of a server that neither refuses a request without a key nor carries it out. No owner
// documents that; it is for tests.
var errNoKeyAtAll = errors.New("there is no key, and nobody has thought of that")

// checkKey holds a key against its documented lengths and letters.
func (m *manners) checkKey(a *attempt) error {
	k := m.Key
	switch length := len([]rune(a.key)); {
	case k.MaxLength > 0 && length > k.MaxLength:
		return keyBeyond("the key is longer than %d characters", k.MaxLength)
	case length < k.MinLength:
		return keyBeyond("the key is shorter than %d characters", k.MinLength)
	case k.Alphabet != "" && strings.Trim(a.key, k.Alphabet) != "":
		return keyBeyond("the key holds other characters than %q", k.Alphabet)
	}
	return nil
}

// alone reports whether a header that must come with the key did not: then the request counts as one without a key.
func (m *manners) alone(r *request) bool {
	for name := range m.Key.Companions {
		if r.Header.Get(name) == "" {
			return true
		}
	}
	return false
}

func fromHeader(k targets.Key, r *request) (string, bool, error) {
	lines := r.Header.Values(k.Name)
	if len(lines) == 0 {
		return "", false, nil
	}
	if len(lines) > 1 {
		return "", false, errKeyTwice
	}
	key, quoted := strings.Trim(lines[0], " \t"), strings.HasPrefix(lines[0], `"`)
	for i := range len(key) {
		if key[i] < ' ' || key[i] > '~' {
			return "", true, errKeyFormat
		}
	}
	switch {
	case key == "":
		return "", true, nil
	case quoted && k.Quoting == targets.QuotingBare:
		return "", true, errors.New("the key must be bare")
	case !quoted && k.Quoting == targets.QuotingSFString:
		return "", false, nil // a field that does not parse is ignored: RFC 9651 section 4.2
	case !quoted:
		return key, true, nil
	}
	key, err := unquote(key)
	return key, true, err
}

func fromBody(k targets.Key, r *request) (string, bool, error) {
	var doc any
	if json.Unmarshal(r.body, &doc) != nil {
		return "", false, nil
	}
	key, there := takeOut(doc, strings.Split(strings.TrimPrefix(k.Name, "/"), "/"))
	if !there {
		return "", false, nil
	}
	text, ok := key.(string)
	if !ok {
		return "", true, errors.New("the key must be a text")
	}
	return text, true, r.setBody(doc)
}

// setBody puts a JSON value in the place of the body.
func (r *request) setBody(doc any) (err error) {
	r.body, err = json.Marshal(doc)
	return err
}

// takeOut removes the member at the end of some steps, and objects that held nothing else.
func takeOut(doc any, steps []string) (any, bool) {
	object, ok := doc.(map[string]any)
	if !ok {
		return nil, false
	}
	value, there := object[steps[0]]
	if there && len(steps) > 1 {
		inner := value
		value, there = takeOut(inner, steps[1:])
		if left, isObject := inner.(map[string]any); !isObject || len(left) > 0 {
			return value, there
		}
	}
	if there {
		delete(object, steps[0])
	}
	return value, there
}

func fromUniqueMember(_ targets.Key, r *request) (string, bool, error) {
	return fromBody(targets.Key{Name: uniqueMember}, r)
}

func fromQuery(k targets.Key, r *request) (string, bool, error) {
	fields := r.URL.Query()
	if !fields.Has(k.Name) {
		return "", false, nil
	}
	key := fields.Get(k.Name)
	fields.Del(k.Name)
	r.Request = r.WithContext(r.Context())
	address := *r.URL
	address.RawQuery = fields.Encode()
	r.URL = &address
	return key, true, nil
}

func fromForm(k targets.Key, r *request) (string, bool, error) {
	fields, err := url.ParseQuery(string(r.body))
	if err != nil || !fields.Has(k.Name) {
		return "", false, nil
	}
	key := fields.Get(k.Name)
	fields.Del(k.Name)
	r.body = []byte(fields.Encode())
	return key, true, nil
}

// fromDirective reads the key from a directive of the GraphQL document at /query. The other members of the body are what
// the document is about.
func fromDirective(k targets.Key, r *request) (string, bool, error) {
	var doc map[string]any
	if json.Unmarshal(r.body, &doc) != nil {
		return "", false, nil // a plain text, or no body at all
	}
	document, ok := doc["query"].(string)
	if !ok {
		return "", false, errNoDocument
	}
	delete(doc, "query")
	if err := r.setBody(doc); err != nil {
		return "", false, err
	}
	directive, argument, _ := strings.Cut(strings.TrimSuffix(k.Name, ")"), "(")
	found := regexp.MustCompile(`@` + regexp.QuoteMeta(directive) + `\(` + regexp.QuoteMeta(argument) + `:\s*("(?:[^"\\]|\\.)*")`).
		FindStringSubmatch(document)
	if found == nil {
		return "", false, nil
	}
	var key string
	err := json.Unmarshal([]byte(found[1]), &key)
	return key, true, err
}
