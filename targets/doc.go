// Package targets is the ground floor of idemcheck: what a target is (Target, Operation, Bundle), what its owner
// documents (Profile, Clause), one request on the wire and what came back (Attempt, Exchange, Fault), and what an
// observer counted (Reading). It also reads target files and profiles strictly, renders request templates, and sends:
// every exchange is exactly one request on a connection that the sender owns.
//
// It imports nothing else of this module.
package targets
