package judge

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// remove deletes the member at an RFC 6901 pointer from a decoded JSON value. Pointers into arrays are left alone.
func remove(value any, pointer string) {
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, part := range parts {
		m, ok := value.(map[string]any)
		if !ok {
			return
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		if i == len(parts)-1 {
			delete(m, part)
			return
		}
		value = m[part]
	}
}

func sortedKeys(maps ...map[string]any) []string {
	var keys []string
	for _, m := range maps {
		for k := range m {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// short prints a JSON value in at most 60 characters.
func short(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	const limit = 60
	if utf8.RuneCount(b) <= limit {
		return string(b)
	}
	return string([]rune(string(b))[:limit]) + "…"
}
