// Package hooks opens a target that somebody else has started, such as a staging API, and that is made to crash and comes
// back by its owner's own commands.
//
// What a command has really done is not seen here. A platform may replace what was killed so fast that no health check
// ever fails, so a crash command that ends well counts as done; that it had an effect is proven by the request that was in
// flight and got no answer.
package hooks
