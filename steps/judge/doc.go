// Package judge turns exchanges and counts into dispositions, findings and verdicts. Everything in it is a pure
// function: no I/O, no clock, no godog. The same history always gets the same verdict.
//
// Three questions are never mixed. How many records exist is hard: it has the level of the scenario. Whether an answer
// is the documented one has the level and the provenance of the profile's clause. Everything else is a note.
package judge
