// Package features holds the built-in Gherkin scenarios.
package features

import "embed"

// FS holds the *.feature files, each named after what it proves.
//
//go:embed *.feature
var FS embed.FS

// Paths lists the files in the order in which they are reported: what the tool is for comes first.
func Paths() []string {
	return []string{
		"identity.feature", "replay.feature", "key.feature", "conflict.feature", "payload.feature", "content.feature", "concurrency.feature", "failure.feature",
		"isolation.feature", "crash.feature", "batch.feature", "webhook.feature", "expiry.feature",
	}
}
