package targets

import (
	"bytes"
	_ "embed" // the published schemas
)

//go:embed target.schema.json
var targetSchema []byte

//go:embed profile.schema.json
var profileSchema []byte

// TargetSchema gives the JSON Schema (draft 2020-12) of a target file.
func TargetSchema() []byte { return bytes.Clone(targetSchema) }

// ProfileSchema gives the JSON Schema (draft 2020-12) of a profile.
func ProfileSchema() []byte { return bytes.Clone(profileSchema) }
