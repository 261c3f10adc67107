package targets

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Place puts an idempotency key into an attempt as the profile says, with its companion headers, and sets a.Key. A key
// that is there already is replaced. The attempt's header and body are copied before they change, so that attempts may
// share them. Where no key travels (in: none) nothing happens. An empty key is placed as such: it is a case of its own.
func Place(k Key, key string, a *Attempt) error {
	if k.In == InNone {
		return nil
	}
	if err := placeKey(k, key, a); err != nil {
		return fmt.Errorf("place the key: %w", err)
	}
	if len(k.Companions) > 0 {
		a.Header = cloneHeader(a.Header)
	}
	for name, value := range k.Companions {
		if err := headerOK(name, value); err != nil {
			return fmt.Errorf("place the key: %w", err)
		}
		a.Header.Set(name, value)
	}
	a.Key = key
	return nil
}

func placeKey(k Key, key string, a *Attempt) (err error) {
	switch k.In {
	case InHeader, "":
		return placeInHeader(k, key, a)
	case InBody:
		a.Body, err = SetJSONPointer(a.Body, k.Name, key)
		return err
	case InQuery:
		address, fragment, _ := strings.Cut(a.URL, "#")
		path, query, _ := strings.Cut(address, "?")
		a.URL = path + "?" + setField(query, k.Name, key)
		if fragment != "" {
			a.URL += "#" + fragment
		}
		return nil
	case InForm:
		return placeInForm(k, key, a)
	case InDirective:
		return placeInDirective(k, key, a)
	}
	return fmt.Errorf("a key cannot travel in %q", k.In)
}

func placeInHeader(k Key, key string, a *Attempt) error {
	written := key
	if k.Quoting == QuotingSFString {
		written = QuoteSF(key)
	}
	if err := headerOK(k.Name, written); err != nil {
		return err
	}
	a.Header = cloneHeader(a.Header)
	a.Header.Set(k.Name, written)
	return nil
}

func placeInForm(k Key, key string, a *Attempt) error {
	if t := a.Header.Get("Content-Type"); t != "" && !isForm(t) {
		return errors.New("the key travels in a form, but the body is sent as " + t)
	}
	a.Body = []byte(setField(string(a.Body), k.Name, key))
	a.Header = cloneHeader(a.Header)
	a.Header.Set("Content-Type", formType)
	return nil
}

// setField sets one field of a query or form and leaves the others as they are written.
func setField(query, name, value string) string {
	fields := strings.Split(query, "&")
	fields = slices.DeleteFunc(fields, func(f string) bool {
		written, _, _ := strings.Cut(f, "=")
		plain, err := url.QueryUnescape(written)
		return f == "" || (err == nil && plain == name)
	})
	return strings.Join(append(fields, escapeFormName(name)+"="+escapeQuery(value)), "&")
}

func cloneHeader(h http.Header) http.Header {
	if h == nil {
		return http.Header{}
	}
	return h.Clone()
}

// QuoteSF writes a key as a structured-field String (RFC 9651 section 3.3.3): in double quotes, with " and \ escaped.
// Characters that such a String cannot hold pass as they are: what a target does with them is its case.
func QuoteSF(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
