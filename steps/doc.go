// Package steps is the vocabulary of the scenarios and the engine that runs it. It is the only importer of godog.
//
// Plan reads features and says which cases there are, what they need and what they cost; nothing is sent. Run proves
// the observers (the preflight), runs the cases and writes what happens into the event stream.
package steps
