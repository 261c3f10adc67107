// Package discover finds out what nobody has written down: whether a vendor honours an idempotency key, what its
// contract is (verify), and whether a target file works (doctor). It sends little itself: it finds the place for a
// marker and a way to count, has the built-in cases run by the engine, and draws its conclusions from their report.
package discover
