package targets

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ProfileValue is one value of a profile, as a reader sees it.
type ProfileValue struct {
	Section string // the claim it belongs to, by its path in the YAML file: "replay", "replay.marker", "failures.refusal"
	Name    string // the member: "mode"
	Text    string // the value in words: lists are joined with "or", durations written as in the file
	Claim   Claim  // how binding it is and how it is known
}

// Path is where the value stands in the YAML file.
func (v ProfileValue) Path() string { return v.Section + "." + v.Name }

// ProfileSection is one claim of a profile with all values under it; it may have none, where nothing is known.
type ProfileSection struct {
	Path   string
	Claim  Claim
	Values []ProfileValue
}

// Sections gives everything that a profile says, in the order of its file, claim by claim. A clause that says nothing is
// left out; name, title, source and role are no values.
func (p Profile) Sections() []ProfileSection {
	var list []ProfileSection
	sectionsOf(reflect.ValueOf(p), "", &list)
	return slices.DeleteFunc(list, func(s ProfileSection) bool { return len(s.Values) == 0 && s.Claim.Note == "" && !s.known() })
}

func (s ProfileSection) known() bool {
	return s.Claim.Provenance != "" && s.Claim.Provenance != Unknown
}

// Values gives all values of a profile, in the order of its file.
func (p Profile) Values() []ProfileValue {
	var list []ProfileValue
	for _, s := range p.Sections() {
		list = append(list, s.Values...)
	}
	return list
}

// sectionsOf walks the members of a struct that are claims or hold some.
func sectionsOf(v reflect.Value, path string, list *[]ProfileSection) {
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		f := v.Field(i)
		if f.Kind() == reflect.Pointer {
			f = f.Elem()
		}
		if options == "inline" || f.Kind() != reflect.Struct || f.Type() == reflect.TypeFor[Code]() {
			continue
		}
		at := strings.TrimPrefix(path+"."+name, ".")
		if c, ok := claimIn(f); ok {
			*list = append(*list, ProfileSection{at, c, valuesOfClaim(f, at, c)})
		}
		sectionsOf(f, at, list)
	}
}

func claimIn(v reflect.Value) (Claim, bool) {
	f := v.FieldByName("Claim")
	if !f.IsValid() {
		return Claim{}, false
	}
	c, ok := f.Interface().(Claim)
	return c, ok
}

// valuesOfClaim gives the members that are given beside a claim, but for those that are claims of their own.
func valuesOfClaim(v reflect.Value, section string, c Claim) []ProfileValue {
	var list []ProfileValue
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		f := v.Field(i)
		if options == "inline" && f.Type() == reflect.TypeFor[Code]() {
			list = append(list, valuesOfClaim(f, section, c)...)
		}
		if options == "inline" || f.IsZero() {
			continue
		}
		if text, ok := valueText(f); ok {
			list = append(list, ProfileValue{section, name, text, c})
		}
	}
	return list
}

// valueText writes a value as a reader would; false for what is a claim of its own.
func valueText(v reflect.Value) (string, bool) {
	switch x := v.Interface().(type) {
	case Strings:
		return strings.Join(x, " or "), true
	case Ints:
		texts := make([]string, len(x))
		for i, n := range x {
			texts[i] = strconv.Itoa(n)
		}
		return strings.Join(texts, " or "), true
	case Duration:
		return x.Words(), true
	case map[string]string:
		texts := make([]string, 0, len(x))
		for _, name := range slices.Sorted(maps.Keys(x)) {
			texts = append(texts, name+": "+x[name])
		}
		return strings.Join(texts, ", "), true
	case *Code:
		if len(x.In) == 0 {
			return "anything at " + x.At, true
		}
		return strings.Join(x.In, " or ") + " at " + x.At, true
	}
	if v.Kind() == reflect.Struct || v.Kind() == reflect.Pointer {
		return "", false
	}
	return fmt.Sprint(v.Interface()), true
}

// Words writes a duration in its largest whole units, as a file would: 24h, 7d, 75h30m.
func (d Duration) Words() string {
	const day = 24 * time.Hour
	if d.Std() > day && d.Std()%day == 0 {
		return strconv.FormatInt(int64(d.Std()/day), 10) + "d"
	}
	text := d.Std().String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// KeptFor says in words how long a key is kept: "24h", "at least 24h", "7d to 14d", "for ever", "unknown". What is not
// documented is marked.
func (p Profile) KeptFor() string {
	text := p.Retention.words()
	if p.Expired.Has(ModeNever) {
		text = "for ever"
	}
	switch {
	case text == "":
		return "unknown"
	case p.Retention.Provenance != Documented:
		return text + " (" + string(p.Retention.Provenance) + ")"
	}
	return text
}

func (r Retention) words() string {
	low, high := r.Min.Words(), r.Max.Words()
	text := ""
	switch {
	case r.Min == 0 && r.Max == 0:
		return ""
	case r.Min == r.Max:
		text = low
	case r.Max == 0:
		text = "at least " + low
	case r.Min == 0:
		text = "at most " + high
	default:
		text = low + " to " + high
	}
	if r.Configurable {
		text += ", configurable"
	}
	return text
}
