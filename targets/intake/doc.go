// Package intake makes a target file out of what a user has at hand: a curl command, an OpenAPI 3 document, or the
// answers to a few questions. What it had to guess it says, in the file and in Draft.Guesses.
package intake
