package targets

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Build makes the attempt that the template stands for: Method, URL, Header and Body are set, nothing else. base is the
// address that the line's path is joined to; headers are the target's, the caller's or the namespace's, and the
// request's own go before them. A header with an empty value is not sent. Values are percent-escaped in path and query
// and written as JSON in a structured body, which is sent as application/json unless a header says otherwise.
//
// It fails where a {{name}} has no value, where a path would hold an empty or a dot segment by a value (a DELETE of the
// whole collection, for instance), and where the line names another host than base.
func (r Request) Build(base string, headers map[string]string, vars Vars) (Attempt, error) {
	body, err := r.Body.Render(vars)
	if err != nil {
		return Attempt{}, err
	}
	return r.BuildBody(base, headers, vars, body)
}

// BuildBody is Build with bytes that the caller has made, such as Body.Changed or Body.Reordered. They are sent as they are.
func (r Request) BuildBody(base string, headers map[string]string, vars Vars, body []byte) (Attempt, error) {
	method, target, err := splitLine(r.Line)
	if err != nil {
		return Attempt{}, fmt.Errorf("build a request: %w", err)
	}
	address, userinfo, err := joinURL(base, target, vars)
	if err != nil {
		return Attempt{}, fmt.Errorf("build %s: %w", r.Line, err)
	}
	header, err := buildHeader(headers, r.Headers, vars)
	if err != nil {
		return Attempt{}, fmt.Errorf("build %s: %w", r.Line, err)
	}
	if userinfo != nil && header.Get("Authorization") == "" {
		password, _ := userinfo.Password()
		header.Set("Authorization", "Basic "+basic(userinfo.Username()+":"+password))
	}
	if len(body) > 0 && header.Get("Content-Type") == "" && r.Body.contentType() != "" {
		header.Set("Content-Type", r.Body.contentType())
	}
	return Attempt{Method: method, URL: address, Header: header, Body: body}, nil
}

// contentType is the media type that a body is sent as where no header says it; a plain text has none.
func (b *Body) contentType() string {
	switch {
	case b == nil || b.text:
		return ""
	case b.form:
		return formType
	}
	return "application/json"
}

// splitLine takes a request line apart: "POST /v1/tasks".
func splitLine(line string) (method, target string, err error) {
	method, target, ok := strings.Cut(strings.TrimSpace(line), " ")
	target = strings.TrimSpace(target)
	switch {
	case !ok || target == "":
		return "", "", fmt.Errorf("%q is no request line: expected METHOD /path", line)
	case strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "":
		return "", "", fmt.Errorf("%q is no request line: the method %q must be capital letters", line, method)
	case !strings.HasPrefix(target, "/") && !strings.HasPrefix(target, "http://") && !strings.HasPrefix(target, "https://"):
		return "", "", fmt.Errorf("%q is no request line: the path must begin with /", line)
	case strings.ContainsAny(template.ReplaceAllString(target, ""), " \t\r\n"):
		return "", "", fmt.Errorf("%q is no request line: the path holds white space", line)
	case strings.Contains(target, "#"):
		return "", "", fmt.Errorf("%q is no request line: a fragment is never sent", line)
	}
	return method, target, nil
}

// buildHeader renders the outer headers and puts the request's own over them.
func buildHeader(outer, own map[string]string, vars Vars) (http.Header, error) {
	header := http.Header{}
	for _, set := range []map[string]string{outer, own} {
		for name, value := range set {
			s, err := Expand(value, vars)
			if err != nil {
				return nil, fmt.Errorf("header %s: %w", name, err)
			}
			if err := headerOK(name, s); err != nil {
				return nil, err
			}
			header.Del(name)
			if s != "" {
				header.Set(name, s)
			}
		}
	}
	return header, nil
}

// headerOK refuses what would break out of its header line.
func headerOK(name, value string) error {
	if name == "" || strings.ContainsAny(name, " \t\r\n:") {
		return fmt.Errorf("%q is no header name", name)
	}
	if strings.ContainsAny(value, "\r\n\x00") {
		return errors.New("header " + name + ": the value holds a line break")
	}
	return nil
}
