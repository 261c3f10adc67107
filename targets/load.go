package targets

import (
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The values of what a target file may leave out.
const (
	DefaultTimeout = Duration(30 * time.Second) // of one exchange
	DefaultRecords = 2000                       // records created at most
)

// Load reads a target file, puts its values over its profile and checks the whole. ${NAME} in values is looked up in
// env; nil means that no variable is set. All mistakes of the file come back together as FileErrors; a file that cannot
// be read comes back as one error. Whether a remote address is allowed is not asked here: see Target.CheckRemote.
func Load(path string, env Env) (*Target, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the target file: %w", err)
	}
	return Parse(path, data, env)
}

// readFile reads little more than the largest file that is taken, so that a wrong path does not fill the memory.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFileSize+1))
}

// Parse is Load for a target file that has been read already. name is its path: messages begin with it, and the path
// of a profile file is relative to its folder.
func Parse(name string, data []byte, env Env) (*Target, error) {
	t := &Target{File: name, Secrets: NewSecrets()}
	d := newDecoder(name, env, t.Secrets)
	d.decode(data, t)
	profile := emptyProfile()
	if t.ProfileRef != "" {
		found, err := ProfileNamed(t.ProfileRef, filepath.Dir(name))
		if err != nil {
			d.fail("profile", "", "%s", err)
		}
		profile = found
	}
	t.Profile = merge(profile, t)
	t.fillReceiver()
	t.setDefaults()
	check(d, t)
	if err := d.err(); err != nil {
		return nil, err
	}
	t.settleReceiver()
	return t, nil
}

func (t *Target) setDefaults() {
	if t.Timeout == 0 {
		t.Timeout = DefaultTimeout
	}
	if t.Limits.Records == 0 {
		t.Limits.Records = DefaultRecords
	}
	t.URL = strings.TrimSuffix(t.URL, "/")
	for i := range t.Operations {
		t.Operations[i].Request = t.formed(t.Operations[i].Request)
		if isFormRequest(t.Operations[i].Request, t.Headers) {
			t.Operations[i].Invalid = t.Operations[i].Invalid.Form()
		}
	}
	if t.Receiver != nil {
		t.Receiver.Request = t.formed(t.Receiver.Request)
	}
	if t.Exhaust != nil {
		*t.Exhaust = t.formed(*t.Exhaust)
	}
	if t.Approve != nil {
		*t.Approve = t.formed(*t.Approve)
	}
}

// formed marks the body of a request that is sent as a form.
func (t *Target) formed(r Request) Request {
	if isFormRequest(r, t.Headers) {
		r.Body = r.Body.Form()
	}
	return r
}

func isFormRequest(r Request, outer map[string]string) bool {
	for _, headers := range []map[string]string{r.Headers, outer} {
		for name, value := range headers {
			if strings.EqualFold(name, "Content-Type") {
				return isForm(value)
			}
		}
	}
	return false
}

// CheckRemote refuses a target that is not on this machine unless its file says `remote: true` or allow is set (the flag
// --remote): a run creates records. Replicas and namespaces count, too. The error names the address.
func (t *Target) CheckRemote(allow bool) error {
	if allow || t.Remote {
		return nil
	}
	for _, address := range t.addresses() {
		if !loopback(address) {
			return fmt.Errorf("%s: %s is not on this machine, and a run creates records there: say `remote: true` in the file, or give --remote",
				t.File, t.Secrets.RedactURL(address))
		}
	}
	return nil
}

// addresses lists every base address of the target.
func (t *Target) addresses() []string {
	all := append([]string{t.URL}, t.Replicas...)
	given := t.Namespaces.Given()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		all = append(all, given[name].URL)
	}
	var out []string
	for _, a := range all {
		if a != "" {
			out = append(out, a)
		}
	}
	return out
}

// loopback reports whether an address is on this machine by its name. No name is looked up: what a resolver says may
// change until the request is sent.
func loopback(address string) bool {
	u, err := url.Parse(portless(address))
	if err != nil {
		return false
	}
	return isLoopbackHost(u.Hostname())
}
