// Package container runs a target in containers of its own, with the services that it needs: it builds or finds the
// images, starts everything on a private network, waits until it is ready, kills it as a crash would, starts it again
// on the same data, and removes all of it in the end. It needs a Docker engine.
//
// A container that is started again is published at another port. So a front of idemcheck's own listens for each of
// them at an address that stays the same, and forwards to wherever the container is now.
//
// Everything that is made carries two labels: the idemcheck that owns it, and the open target that it belongs to. By
// the second it is removed on Close; by the first the next idemcheck finds what a killed one has left behind.
package container
