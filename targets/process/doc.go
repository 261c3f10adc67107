// Package process runs a target as a child process: it starts it, waits until it is ready, kills it as a crash would,
// stops it politely, and starts it again on the same port and data.
//
// The child gets a process group of its own, and signals go to the whole group: a wrapper (a shell, "go run", "npm
// start") must not leave the real server alive. On Linux the system also kills the child when idemcheck dies, and
// whoever else is left of a run that was killed is removed by the next one; see RemoveStale. On Windows there are no such
// groups: only the process itself is killed, and Stop kills it too.
package process
