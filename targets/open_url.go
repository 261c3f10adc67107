package targets

import "strings"

// OpenURL opens a target that runs already, at the address in its file. It sends nothing. The error says which of the
// file's certificates cannot be read.
func OpenURL(t *Target) (*Endpoint, error) {
	base := strings.TrimRight(t.URL, "/")
	o, err := SenderOptionsFor(t, base)
	if err != nil {
		return nil, err
	}
	return &Endpoint{Target: t, URL: base, Replicas: t.Replicas, Sender: NewSender(o), About: "a running service"}, nil
}
