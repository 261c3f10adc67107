package intake

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// maxDocument bounds an OpenAPI document, in bytes. What is read becomes many times as large in memory.
const maxDocument = 8 << 20

// OpenAPIOptions say which operation of a document is meant, and where it is served.
type OpenAPIOptions struct {
	Operation string // an operationId, or "POST /orders"; empty: the only one that creates
	URL       string // the server's address; empty: the first one that the document names
	KeyHeader string // the header that carries the key, where the caller knows it
}

// openAPI is a document while a draft is made of it.
type openAPI struct {
	doc   *openapi3.T
	draft *Draft
	path  string
	item  *openapi3.PathItem
	op    *openapi3.Operation
	key   string
}

// OpenAPI makes a draft from an OpenAPI 3 document (JSON or YAML): the create, an example body (the document's, or one
// made from its schema), the header that carries the key, the list call on the same collection, how a record is read
// and deleted, and the credentials as ${NAME}. What was guessed is in Guesses. References outside the document are
// not followed. A document that is too large, or whose references are broken, is one error.
func OpenAPI(data []byte, o OpenAPIOptions) (d *Draft, err error) {
	defer func() {
		if p := recover(); p != nil { // a document that breaks the library down is a broken document
			d, err = nil, fmt.Errorf("read the OpenAPI document: it cannot be understood: %v", p)
		}
	}()
	if len(data) > maxDocument {
		return nil, fmt.Errorf("read the OpenAPI document: it has %d MB, and at most %d MB are read; cut out the paths that are needed",
			len(data)>>20, maxDocument>>20)
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the OpenAPI document: %s", firstLine(err.Error()))
	case !strings.HasPrefix(doc.OpenAPI, "3."):
		return nil, errors.New("read the OpenAPI document: it does not say openapi: 3.x (a Swagger 2 document has to be converted)")
	case doc.Paths == nil || doc.Paths.Len() == 0:
		return nil, errors.New("read the OpenAPI document: it has no paths")
	}
	a := &openAPI{doc: doc, draft: newDraft("an OpenAPI document"), key: o.KeyHeader}
	if err := a.read(o); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	return a.draft, nil
}

func (a *openAPI) read(o OpenAPIOptions) error {
	method, err := a.choose(o.Operation)
	if err != nil {
		return err
	}
	base, err := a.server(o.URL)
	if err != nil {
		return err
	}
	a.credentials()
	if err := a.parameters(); err != nil {
		return err
	}
	if err := a.body(); err != nil {
		return err
	}
	if a.draft.Key.Name == "" {
		a.draft.guess("the document names no header for the key; Idempotency-Key is assumed")
	}
	path := base + a.fill(a.path) + a.query()
	if err := a.draft.SetRequest(method, path); err != nil {
		return err
	}
	if a.doc.Info != nil && a.doc.Info.Title != "" {
		a.draft.Name = strings.Trim(unsafe.ReplaceAllString(strings.ToLower(a.doc.Info.Title), "-"), "-")
	}
	a.answer()
	a.siblings(base)
	return nil
}

// creates lists the operations that may create, by operationId or else by "METHOD path".
func (a *openAPI) creates() map[string]func() (path, method string) {
	out := map[string]func() (string, string){}
	for path, item := range a.doc.Paths.Map() {
		for method, op := range item.Operations() {
			if method != "POST" && method != "PUT" && method != "PATCH" {
				continue
			}
			found := func() (string, string) { return path, method }
			out[method+" "+path] = found
			if op.OperationID != "" {
				out[op.OperationID] = found
			}
		}
	}
	return out
}

// choose finds the operation; the error names the nearest one, or all that there are.
func (a *openAPI) choose(name string) (method string, err error) {
	all := a.creates()
	if name == "" {
		posts := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(n string) bool { return !strings.HasPrefix(n, "POST ") })
		if len(posts) != 1 {
			return "", fmt.Errorf("say which operation creates (--operation); there are: %s", some(a.names(all)))
		}
		name = posts[0]
	}
	found, known := all[name]
	if !known {
		return "", fmt.Errorf("it has no operation %q that creates (%s)", name, a.nearest(name, all))
	}
	a.path, method = found()
	a.item = a.doc.Paths.Value(a.path)
	a.op = a.item.GetOperation(method)
	return method, nil
}

func (a *openAPI) names(all map[string]func() (string, string)) []string {
	names := slices.Sorted(maps.Keys(all))
	ids := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.Contains(n, " ") })
	if len(ids) > 0 {
		return ids
	}
	return names
}

func (a *openAPI) nearest(name string, all map[string]func() (string, string)) string {
	best, distance := "", len(name)/2+1
	for _, n := range slices.Sorted(maps.Keys(all)) {
		if d := levenshtein.ComputeDistance(strings.ToLower(n), strings.ToLower(name)); d < distance {
			best, distance = n, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "there are: " + some(a.names(all))
}

func some(names []string) string {
	if len(names) > 12 {
		names = append(names[:12:12], "…")
	}
	return strings.Join(names, ", ")
}

// server gives the base address.
func (a *openAPI) server(given string) (string, error) {
	if given != "" {
		return strings.TrimSuffix(given, "/"), nil
	}
	for _, s := range a.doc.Servers {
		address := s.URL
		for name, v := range s.Variables {
			address = strings.ReplaceAll(address, "{"+name+"}", v.Default)
		}
		if strings.Contains(address, "://") {
			a.draft.guess("the server is the first one of the document: " + address)
			return strings.TrimSuffix(address, "/"), nil
		}
	}
	return "", errors.New("it names no server with an absolute address; say where it is served (--url https://…)")
}

// credentials puts ${NAME} for what the operation's first security requirement wants.
func (a *openAPI) credentials() {
	requirements := a.doc.Security
	if a.op.Security != nil {
		requirements = *a.op.Security
	}
	if len(requirements) == 0 || a.doc.Components == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(requirements[0])) {
		ref := a.doc.Components.SecuritySchemes[name]
		if ref == nil || ref.Value == nil {
			continue
		}
		switch s := ref.Value; {
		case s.Type == "http" && strings.EqualFold(s.Scheme, "basic"):
			a.need("Authorization", "Basic ${API_BASIC}", "API_BASIC (user:password in base64)")
		case s.Type == "apiKey" && s.In == "header":
			a.need(s.Name, "${API_KEY}", "API_KEY")
		case s.Type == "apiKey":
			a.draft.guess(fmt.Sprintf("the credential %s travels in the %s, which has to be written by hand", s.Name, s.In))
		default:
			a.need("Authorization", "Bearer ${API_TOKEN}", "API_TOKEN")
		}
	}
}

func (a *openAPI) need(header, value, variable string) {
	a.draft.Headers = append(a.draft.Headers, Header{header, value})
	a.draft.guess("the credential is read from the environment variable " + variable)
}

var keyName = regexp.MustCompile(`(?i)(idempoten|^x?-?request-?id$|repeatability-request-id)`)

// parameters finds the header of the key, and takes over other headers that are required.
func (a *openAPI) parameters() error {
	if a.key != "" {
		a.draft.Key = targets.Key{In: targets.InHeader, Name: a.key}
	}
	for _, p := range a.all() {
		if p.In != "header" {
			continue
		}
		if a.draft.Key.Name == "" && keyName.MatchString(p.Name) {
			a.draft.Key = targets.Key{In: targets.InHeader, Name: p.Name}
			continue
		}
		if p.Required && !strings.EqualFold(p.Name, a.draft.Key.Name) && !strings.EqualFold(p.Name, "Authorization") {
			if err := a.draft.setHeader(p.Name, fmt.Sprint(a.value(p)), "-"); err != nil {
				return err
			}
			a.draft.guess(fmt.Sprintf("the header %s has an example's value", p.Name))
		}
	}
	return nil
}

// all gives the parameters of the operation and of its path.
func (a *openAPI) all() []*openapi3.Parameter { return parametersOf(a.item, a.op) }

func parametersOf(item *openapi3.PathItem, op *openapi3.Operation) []*openapi3.Parameter {
	var out []*openapi3.Parameter
	for _, ref := range slices.Concat(op.Parameters, item.Parameters) {
		if ref != nil && ref.Value != nil {
			out = append(out, ref.Value)
		}
	}
	return out
}

// value gives an example of a parameter.
func (a *openAPI) value(p *openapi3.Parameter) any {
	if p.Example != nil {
		return p.Example
	}
	for _, name := range slices.Sorted(maps.Keys(p.Examples)) {
		if e := p.Examples[name]; e != nil && e.Value != nil {
			return e.Value.Value
		}
	}
	if p.Schema != nil {
		return sample(p.Schema.Value, p.Name, 0)
	}
	return "example"
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}
