package targets

import (
	"fmt"
	"path/filepath"
)

// SenderOptionsFor gives the options that a target's file asks for. The base URL is where the target was opened; it,
// its replicas and its namespaces are the hosts that may be contacted. The caller may add to them. Files of the tls
// section are looked for beside the target file. It fails where they cannot be read.
func SenderOptionsFor(t *Target, base string) (SenderOptions, error) {
	config, err := t.TLS.beside(t.File).Config()
	if err != nil {
		return SenderOptions{}, fmt.Errorf("open %s: %w", t.Name, err)
	}
	hosts := append([]string{base}, t.Replicas...)
	for _, space := range t.Namespaces.Given() {
		if space.URL != "" {
			hosts = append(hosts, space.URL)
		}
	}
	return SenderOptions{
		Hosts: hosts, Timeout: t.Timeout.Std(), TLS: config, Rate: t.Limits.Rate, H2C: t.H2C, Redact: t.Secrets.Redact,
	}, nil
}

// beside resolves relative files from the folder of a target file.
func (t TLS) beside(file string) TLS {
	for _, path := range []*string{&t.CA, &t.Cert, &t.Key} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(filepath.Dir(file), *path)
		}
	}
	return t
}
