package targets

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
)

func basic(credentials string) string { return base64.StdEncoding.EncodeToString([]byte(credentials)) }

// joinURL renders a request target and joins it to the base address. User and password of the base are given back
// apart, so that they never stand in an attempt's URL.
func joinURL(base, target string, vars Vars) (string, *url.Userinfo, error) {
	root, err := url.Parse(base)
	if err != nil || root.Host == "" {
		return "", nil, fmt.Errorf("%q is no absolute address", (*Secrets)(nil).RedactURL(base))
	}
	origin := root.Scheme + "://" + root.Host
	path, query, _ := strings.Cut(target, "?")
	absolute, path := splitAbsolute(path)
	if absolute != "" && !strings.EqualFold(absolute, origin) {
		return "", nil, fmt.Errorf("%s is another host than %s: not followed", absolute, origin)
	}
	if path, err = renderPath(path, vars); err != nil {
		return "", nil, err
	}
	if query, err = expandWith(query, vars, escapeQuery); err != nil {
		return "", nil, err
	}
	if absolute == "" {
		path = strings.TrimSuffix(root.EscapedPath(), "/") + path
	}
	out := origin + path
	if all := strings.Trim(root.RawQuery+"&"+query, "&"); all != "" {
		out += "?" + all
	}
	if _, err := url.Parse(out); err != nil {
		return "", nil, fmt.Errorf("the address is not valid: %w", err)
	}
	return out, root.User, nil
}

// splitAbsolute parts "https://host/path" into its address and path; the address is empty for a plain path.
func splitAbsolute(path string) (address, rest string) {
	scheme, rest, ok := strings.Cut(path, "://")
	if !ok || strings.HasPrefix(path, "/") {
		return "", path
	}
	host, tail, _ := strings.Cut(rest, "/")
	return scheme + "://" + host, "/" + tail
}

// renderPath fills in a path segment by segment. A value never makes a segment empty, "." or "..": an id comes from the
// target, and such a path would mean something else than the template does.
func renderPath(path string, vars Vars) (string, error) {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		out, err := expandWith(segment, vars, url.PathEscape)
		if err != nil {
			return "", err
		}
		if out != segment && (out == "" || out == "." || out == "..") {
			return "", fmt.Errorf("%s must not be filled with %q", segment, out)
		}
		segments[i] = out
	}
	return strings.Join(segments, "/"), nil
}
