package crash

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
)

// address is a database's address as a target is given it, cut around the host and port in it.
type address struct {
	before, hostPort, after string
	host, port              [2]int // of the keyword form: where the values stand in the whole
	whole                   string
}

var (
	// urlForm is scheme://user:password@host:port/…, also with a scheme of several words as Java has it.
	urlForm = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.:-]*://(?:[^/?#]*@)?)([^/?#@]*)(.*)$`)
	// driverForm is user:password@tcp(host:port)/database, as the Go driver for MySQL has it.
	driverForm = regexp.MustCompile(`^(.*\btcp\()([^)]*)(\).*)$`)
	// keyword finds the values of host and port in "host=… port=… dbname=…".
	keyword     = regexp.MustCompile(`(?:^|\s)(host|port)\s*=\s*('[^']*'|[^\s']+)`)
	plainForm   = regexp.MustCompile(`^(\[[^\]]+\]|[^\s:/@=]+):([0-9]+)$`)
	defaultPort = map[Protocol]string{Postgres: "5432", MySQL: "3306"}
)

// parseAddress reads an address in any of the forms that are in use. The errors never hold it: it has a password.
func parseAddress(text string, p Protocol) (address, error) {
	a := address{whole: text}
	switch {
	case plainForm.MatchString(text):
		a.hostPort = text
	case urlForm.MatchString(text):
		m := urlForm.FindStringSubmatch(text)
		a.before, a.hostPort, a.after = m[1], m[2], m[3]
	case driverForm.MatchString(text):
		m := driverForm.FindStringSubmatch(text)
		a.before, a.hostPort, a.after = m[1], m[2], m[3]
	case keyword.MatchString(text):
		return parseKeywords(a, p)
	default:
		return a, errors.New("it is neither scheme://host:port/…, nor tcp(host:port), nor host=… port=…, nor host:port")
	}
	return withPort(a, p)
}

// withPort adds the protocol's own port where none is given, and refuses what is not one host.
func withPort(a address, p Protocol) (address, error) {
	switch {
	case strings.Contains(a.hostPort, ","):
		return a, errors.New("it names several hosts; give the one to stand before")
	case a.hostPort == "" || strings.HasPrefix(a.hostPort, "/") || strings.HasPrefix(a.hostPort, "%2F"):
		return a, errors.New("it names a socket of the file system or no host; give host and port")
	}
	if _, _, err := net.SplitHostPort(a.hostPort); err == nil {
		return a, nil
	}
	if defaultPort[p] == "" {
		return a, errors.New("it names no port")
	}
	a.hostPort = net.JoinHostPort(strings.Trim(a.hostPort, "[]"), defaultPort[p])
	return a, nil
}

func parseKeywords(a address, p Protocol) (address, error) {
	values := map[string]string{}
	for _, m := range keyword.FindAllStringSubmatchIndex(a.whole, -1) {
		name, value := a.whole[m[2]:m[3]], strings.Trim(a.whole[m[4]:m[5]], "'")
		if values[name] != "" {
			return a, fmt.Errorf("it says %s twice", name)
		}
		values[name] = value
		if name == "host" {
			a.host = [2]int{m[4], m[5]}
		} else {
			a.port = [2]int{m[4], m[5]}
		}
	}
	if values["host"] == "" || strings.HasPrefix(values["host"], "/") {
		return a, errors.New("it names a socket of the file system or no host; give host and port")
	}
	a.hostPort = values["host"]
	if values["port"] != "" {
		a.hostPort = net.JoinHostPort(values["host"], values["port"])
	}
	return withPort(a, p)
}

// at gives the address with another host and port in it.
func (a address) at(hostPort string) string {
	if a.host == a.port { // not the keyword form
		return a.before + hostPort + a.after
	}
	host, port, _ := net.SplitHostPort(hostPort)
	text := a.whole
	replace := func(span [2]int, value string) { text = text[:span[0]] + value + text[span[1]:] }
	switch {
	case a.port == [2]int{}:
		return a.whole[:a.host[0]] + host + " port=" + port + a.whole[a.host[1]:]
	case a.host[0] < a.port[0]: // from behind, so that the places stay right
		replace(a.port, port)
		replace(a.host, host)
	default:
		replace(a.host, host)
		replace(a.port, port)
	}
	return text
}
