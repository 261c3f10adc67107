package reference

import "encoding/json"

// This file holds the wrong ways to compare what is sent.

// withoutOwner leaves a member out of what is compared (owner-not-compared).
func withoutOwner(canonical []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(canonical, &members) != nil || members["owner"] == nil {
		return canonical
	}
	delete(members, "owner")
	out, err := json.Marshal(members)
	if err != nil {
		return canonical
	}
	return out
}

// largestStored is the longest answer that is stored, in bytes
// (large-answer-not-stored).
const largestStored = 64 << 10
