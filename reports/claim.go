package reports

import (
	"slices"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Agreement says how what was seen bears out a value of the profile.
type Agreement string

// The agreements. A value that no case read is not tried; one that was read and showed nothing either way is not told.
const (
	Held         Agreement = "held"
	Departed     Agreement = "broken"
	NotTold      Agreement = "not-told"
	NotTried     Agreement = "not-tried"
	Undocumented Agreement = "undocumented" // the profile says nothing of it: what was seen is only observed
)

// Agreements lists every agreement, the one that counts most first.
func Agreements() []Agreement { return []Agreement{Departed, Held, Undocumented, NotTold, NotTried} }

// Words gives the agreement as it is printed.
func (a Agreement) Words() string {
	switch a {
	case NotTold:
		return "not told"
	case NotTried:
		return "not tried"
	case Undocumented:
		return "only observed"
	}
	return string(a)
}

// ProfileClaim is one value of the profile as the run began with it: the profile's own, or what the target file says in
// its place.
type ProfileClaim struct {
	Claim      string             `json:"claim"`           // where it stands in the file: "mismatch.status"
	Value      string             `json:"value,omitempty"` // in words: "409 or 422"
	Level      targets.Level      `json:"level,omitempty"`
	Provenance targets.Provenance `json:"provenance"`
	Source     string             `json:"source,omitempty"`
	Note       string             `json:"note,omitempty"`
}

// ClaimRead is what one case saw of one value of the profile. A case tells each different sight once, with the attempt
// that showed it first.
type ClaimRead struct {
	Claim    string    `json:"claim"` // "mismatch.status"
	State    Agreement `json:"state"` // held, broken, not-told, undocumented
	Seen     string    `json:"seen"`  // in few words: "409"
	Exchange string    `json:"exchange,omitempty"`
	Part     string    `json:"part,omitempty"` // of the case, where the attempt belongs to one
}

// ClaimRow is one value of the profile beside what the whole run saw of it.
type ClaimRow struct {
	ProfileClaim
	State Agreement   `json:"state"`          // broken as soon as one case saw that, else held as soon as one did
	Seen  []ClaimSeen `json:"seen,omitempty"` // what counts most first
}

// ClaimSeen is one sight of a value, with the cases that had it, in the order of the plan.
type ClaimSeen struct {
	Text  string    `json:"text"`
	State Agreement `json:"state"`
	Cases []string  `json:"cases"`
}

// ProfileClaims lists what a profile says, value by value, in the order of its file.
func ProfileClaims(p targets.Profile) []ProfileClaim {
	var out []ProfileClaim
	for _, v := range p.Values() {
		out = append(out, ProfileClaim{Claim: v.Path(), Value: v.Text, Level: v.Claim.Level, Provenance: v.Claim.Provenance,
			Source: v.Claim.Source, Note: v.Claim.Note})
	}
	return out
}

// compareClaims puts what the cases read beside what is documented: the values in the order of the profile, then those
// that cases read and the profile says nothing of. Where nothing is documented and no case looked, there is no row. A
// stream of a version that did not tell of values gives none.
func compareClaims(said []ProfileClaim, cases []Case) []ClaimRow {
	var rows []ClaimRow
	at := map[string]int{}
	for _, c := range said {
		at[c.Claim] = len(rows)
		rows = append(rows, ClaimRow{ProfileClaim: c, State: NotTried})
	}
	for _, c := range cases {
		for _, read := range c.Claims {
			i, known := at[read.Claim]
			if !known {
				i = len(rows)
				at[read.Claim] = i
				rows = append(rows, ClaimRow{ProfileClaim: ProfileClaim{Claim: read.Claim, Provenance: targets.Unknown}, State: NotTried})
			}
			rows[i].see(read, c.ID)
		}
	}
	return slices.DeleteFunc(rows, func(r ClaimRow) bool {
		return r.State == NotTried && (r.Provenance == targets.Unknown || r.Provenance == "")
	})
}

// see takes one sight of one case.
func (r *ClaimRow) see(read ClaimRead, id string) {
	if read.State.rank() < r.State.rank() {
		r.State = read.State
	}
	for i := range r.Seen {
		if s := &r.Seen[i]; s.Text == read.Seen && s.State == read.State {
			if !slices.Contains(s.Cases, id) {
				s.Cases = append(s.Cases, id)
			}
			return
		}
	}
	r.Seen = append(r.Seen, ClaimSeen{read.Seen, read.State, []string{id}})
	slices.SortStableFunc(r.Seen, func(a, b ClaimSeen) int { return a.State.rank() - b.State.rank() })
}

func (a Agreement) rank() int { return slices.Index(Agreements(), a) }
