//go:build unix

package container

import "syscall"

// becomeNobody gives up the rights of this process.
func becomeNobody() {
	if err := syscall.Setuid(65534); err != nil {
		panic(err)
	}
}
