package intake

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Place is where the texts go by which records and payloads are told apart. Both are JSON pointers into the body.
type Place struct {
	Marker string // takes {{marker}}; empty: the user has put it somewhere
	Vary   string // gets {{revision}} appended, so that another payload can be sent; empty: nothing is varied
}

// leaf is a text of the body.
type leaf struct {
	pointer string
	name    string
	node    *yaml.Node
	score   int // how likely it takes any text; 0: it does not
}

var (
	referenceName = regexp.MustCompile(`(?i)(reference|^ref$|_ref$|external|client_?(order_)?id|order_?number|correlation|transaction_?id)`)
	freeName      = regexp.MustCompile(`(?i)(note|description|memo|comment|title|subject|message|text|^name$|_name$|label|summary|content|metadata|reason|details)`)
	strictName    = regexp.MustCompile(`(?i)(mail|url|uri|link|phone|date|time|_at$|^at$|currency|country|locale|lang|status|state|type|kind|method|mode|^id$|_id$|Id$|iban|zip|postal|code$|token)`)
	strictValue   = regexp.MustCompile(`^(\d{4}-\d\d-\d\d.*|\S+@\S+\.\S+|https?://.*|[A-Z]{2,3}|[-+0-9.,]+|true|false|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27})$`)
)

// mostPlaces bounds how many places are tried: each costs a record.
const mostPlaces = 3

// Places lists where the marker could go, the likeliest first, each with what could be varied beside it. wanted is the
// name of the query field by which the list call looks for the marker; a member of that name comes first. Where the
// user has written {{marker}} himself, that is the only place.
func (d *Draft) Places(wanted string) []Place {
	leaves := d.leaves(wanted)
	if d.mentions("marker") {
		return d.varied("", leaves)
	}
	var out []Place
	for _, l := range leaves {
		if l.score > 0 && len(out) < 2*mostPlaces {
			out = append(out, d.varied(l.pointer, leaves)...)
		}
	}
	return out
}

// varied gives a place with another text that can be varied, and the same place without.
func (d *Draft) varied(marker string, leaves []leaf) []Place {
	if d.mentions("revision") || d.mentions("payload") {
		return []Place{{Marker: marker}}
	}
	other := slices.IndexFunc(leaves, func(l leaf) bool {
		return l.pointer != marker && l.score > 0 && (freeName.MatchString(l.name) || referenceName.MatchString(l.name))
	})
	if free := slices.IndexFunc(leaves, func(l leaf) bool { return l.pointer != marker && freeName.MatchString(l.name) && l.score > 0 }); free >= 0 {
		other = free
	}
	if other >= 0 {
		return []Place{{marker, leaves[other].pointer}, {Marker: marker}}
	}
	if marker == "" {
		return []Place{{}}
	}
	return []Place{{marker, marker}, {Marker: marker}}
}

// leaves lists the texts of the body, the likeliest place for a marker first.
func (d *Draft) leaves(wanted string) []leaf {
	var out []leaf
	eachLeaf(d.body, "", "", func(pointer, name string, n *yaml.Node) {
		out = append(out, leaf{pointer, name, n, score(name, n.Value, wanted)})
	})
	slices.SortStableFunc(out, func(a, b leaf) int { return cmp.Compare(b.score, a.score) })
	return out
}

func score(name, value, wanted string) int {
	switch {
	case strings.Contains(value, "{{") || strings.Contains(value, "${"), targets.SecretName(name):
		return 0
	case wanted != "" && strings.EqualFold(name, wanted):
		return 5
	case referenceName.MatchString(name):
		return 4
	case freeName.MatchString(name):
		return 3
	case strictName.MatchString(name) || strictValue.MatchString(value):
		return 0
	}
	return 1
}

// eachLeaf shows every text of a body with its RFC 6901 pointer and the name of the nearest member.
func eachLeaf(n *yaml.Node, pointer, name string, show func(pointer, name string, n *yaml.Node)) {
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			member := n.Content[i].Value
			eachLeaf(n.Content[i+1], pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(member), member, show)
		}
	case n.Kind == yaml.SequenceNode:
		for i, item := range n.Content {
			eachLeaf(item, fmt.Sprintf("%s/%d", pointer, i), name, show)
		}
	case n.Tag == "!!str":
		show(pointer, name, n)
	}
}

// Marked gives a copy of the draft with the marker and the revision at a place.
func (d *Draft) Marked(p Place) *Draft {
	out := *d
	out.body = cloneNode(d.body)
	out.Guesses, out.Headers = slices.Clone(d.Guesses), slices.Clone(d.Headers)
	eachLeaf(out.body, "", "", func(pointer, _ string, n *yaml.Node) {
		if pointer == p.Marker && p.Marker != "" {
			n.Value = "{{marker}}"
		}
		if pointer == p.Vary && p.Vary != "" {
			n.Value += " {{revision}}"
		}
	})
	out.Invalid = out.spoilt(p)
	return &out
}

// spoilt lists the top-level members of a JSON object that can be given a value of another type, so that a target that
// looks at its input refuses the request. The marker's own stays, so that a record that is made all the same is found.
func (d *Draft) spoilt(p Place) []string {
	if d.body == nil || d.body.Kind != yaml.MappingNode || isForm(d.contentType()) {
		return nil
	}
	var out []string
	for i := 0; i+1 < len(d.body.Content); i += 2 {
		marked := false
		eachLeaf(d.body.Content[i+1], "", "", func(_, _ string, n *yaml.Node) {
			marked = marked || strings.Contains(n.Value, "{{marker}}")
		})
		if !marked && d.body.Content[i+1].Kind == yaml.ScalarNode {
			out = append(out, d.body.Content[i].Value)
		}
	}
	return out
}

// mentions reports whether {{name}} stands in the create's body, its line or a header.
func (d *Draft) mentions(name string) bool {
	pattern := regexp.MustCompile(`\{\{\s*` + name + `\s*\}\}`)
	found := pattern.MatchString(d.Line) || pattern.MatchString(d.text)
	eachLeaf(d.body, "", "", func(_, _ string, n *yaml.Node) { found = found || pattern.MatchString(n.Value) })
	return found
}

// PlaceText says in words where something stands: "the member reference".
func PlaceText(pointer string) string {
	plain := strings.TrimPrefix(pointer, "/")
	if !strings.Contains(plain, "/") {
		return "the member " + plain
	}
	return "the member " + strings.ReplaceAll(plain, "/", ".")
}
