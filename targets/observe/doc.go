// Package observe counts. An observer is asked how many records (or side effects) carry a marker, and answers with a
// targets.Reading: a count, the ids where it has them, and the ids of the records that side effects belong to.
//
// The kinds, each in its own file and one row of the table in kinds.go:
//
//   - a list call of the target (list.go, paging.go): every page is read, or the count is refused
//   - an SQL query (query.go, rows.go, dsn.go): read-only, on a connection of our own
//   - a command of the user's (command.go, output.go): run without a shell
//   - a sink (sink.go, sink_http.go, sink_smtp.go): a listener of ours that the target is told to call
//   - the answers themselves (answers.go): weaker, and marked as inferred
//
// Counting too few hides a duplicate, so whatever could make a count too low is an error and not a number: a page that
// is HTML, a next page on another host, a result that could be read in two ways, a sink that is full. Such an error
// stands in Reading.Err; Count never fails in any other way.
//
// A marker is found as a piece of text. Markers must therefore have one length, so that none is the beginning of
// another.
package observe
