package main

import (
	"maps"
	"slices"
	"time"
)

// mode is one way to treat idempotency keys. Its zero value honours them.
type mode struct {
	ignores       bool          // the header makes no difference
	races         bool          // looks the key up, works, and only then remembers it
	comparesNot   bool          // answers another payload under a used key with the first answer
	overwrites    bool          // puts another payload under a used key into the first record
	refusesHeader bool          // 400 for a request with the header
	lag           time.Duration // the list shows an order only when it is so old
	hidden        bool          // the list shows nothing
	needsKey      bool          // 400 for a request without the header
	perSecond     int           // 429 for more creates than this in a second; 0: no limit
	byContent     bool          // the header makes no difference, but an equal payload gives the first order
	refusesRepeat bool          // 409 for each repeat, instead of the first answer
	quotedOnly    bool          // takes the key only as a structured-field String, in double quotes
	notJSON       bool          // answers in HTML
}

// modes lists every mode by its name.
func modes() map[string]mode {
	return map[string]mode{
		"honours":                    {},
		"ignores":                    {ignores: true},
		"honours-but-races":          {races: true},
		"does-not-compare-payloads":  {comparesNot: true},
		"overwrites":                 {overwrites: true},
		"refuses-the-header":         {refusesHeader: true},
		"eventually-consistent-list": {lag: 60 * time.Millisecond},
		"list-never-shows":           {hidden: true},
		"needs-a-key":                {needsKey: true},
		"rate-limits":                {perSecond: 80},
		"content-filter":             {byContent: true},
		"refuses-repeats":            {refusesRepeat: true},
		"quoted-keys":                {quotedOnly: true},
		"not-json":                   {notJSON: true},
	}
}

func modeNames() []string { return slices.Sorted(maps.Keys(modes())) }
