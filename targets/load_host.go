package targets

import (
	"net/netip"
	"strings"
)

// isLoopbackHost takes 127.0.0.0/8, ::1, localhost and the names below it (RFC 6761 section 6.3).
func isLoopbackHost(host string) bool {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

// portless puts a number for {{port}}, which is not known before the target has been started.
func portless(address string) string { return template.ReplaceAllString(address, "1") }
