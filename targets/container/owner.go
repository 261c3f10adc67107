package container

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// The labels of everything that is made.
const (
	ownerLabel = "com.github.idempotency-conformance.idemcheck.owner"
	runLabel   = "com.github.idempotency-conformance.idemcheck.run"
)

// owner is the idemcheck to which something belongs. Several machines, and several containers with process ids of their
// own, may share one engine; and ids are used again.
type owner struct {
	host    string
	space   string // of process ids; empty where the system has only one
	pid     int
	started string // empty where the system does not say
}

// self is this process.
func self() owner {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "localhost"
	}
	o := owner{host: strings.ReplaceAll(host, "/", "-"), space: pidSpace(), pid: os.Getpid()}
	o.started, _ = lives(o.pid)
	return o
}

// String is the value of the label.
func (o owner) String() string { return fmt.Sprintf("%s/%s/%d/%s", o.host, o.space, o.pid, o.started) }

// parseOwner reads what String has written.
func parseOwner(label string) (owner, error) {
	parts := strings.Split(label, "/")
	if len(parts) != 4 || parts[0] == "" {
		return owner{}, fmt.Errorf("owner %q: not of the form HOST/SPACE/PID/STARTED", label)
	}
	pid, err := strconv.Atoi(parts[2])
	if err != nil || pid < 1 {
		return owner{}, fmt.Errorf("owner %q: %q is no process id", label, parts[2])
	}
	return owner{host: parts[0], space: parts[1], pid: pid, started: parts[3]}, nil
}

// gone reports whether an owner, as seen by this process, surely does not live any more.
func (o owner) gone(seenBy owner) bool {
	if o.host != seenBy.host || o.space != seenBy.space {
		return false
	}
	started, alive := lives(o.pid)
	return !alive || started != "" && started != o.started
}
