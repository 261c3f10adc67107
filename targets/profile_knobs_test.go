package targets

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every value of every profile says how it is known, and what is documented has a link that a reader can follow.
func TestProfileValuesHaveALink(t *testing.T) {
	t.Parallel()
	for _, name := range ProfileNames() {
		p, err := ProfileNamed(name, "nowhere")
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(p.Source, "https://"), name)
		assert.NotEmpty(t, p.Values(), name)
		for _, s := range p.Sections() {
			assert.Contains(t, Provenances(), s.Claim.Provenance, "%s %s", name, s.Path)
			if s.Claim.Provenance == Documented {
				assert.True(t, strings.HasPrefix(s.Claim.Source, "https://"), "%s %s: %q", name, s.Path, s.Claim.Source)
			}
			for _, v := range s.Values {
				assert.NotEmpty(t, v.Text, "%s %s", name, v.Path())
				if v.Text != ModeUndocumented && v.Name == "mode" {
					assert.NotEqual(t, Unknown, s.Claim.Provenance, "%s %s", name, v.Path())
				}
			}
		}
	}
}

// unused are the members that no built-in profile gives, with the reason.
var unused = map[string]string{
	"key.template":               "a target file derives keys from its bundle",
	"content_filter.members":     "where the members stand in a request, a target file says",
	"retention.from":             "no owner says that a use prolongs it",
	"counting.settle":            "no owner states how long its lists lag behind",
	"in_flight.retry_hint.first": "a hint has no first answer",
	"refused.in":                 "the built-in ones take any error",
	"async.failed":               "NetSuite's page does not name the word",
	"async.result":               "NetSuite's path to the result is two calls long: a target file gives it",
	"async.id":                   "as the operation's id says",
}

// Each member of a profile is there because some vendor needs it.
func TestEachKnobIsUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, name := range ProfileNames() {
		p, err := ProfileNamed(name, "nowhere")
		require.NoError(t, err)
		for _, v := range p.Values() {
			used[v.Path()] = true
			if section, _, ok := strings.Cut(v.Section, "."); ok && (section == "failures" || section == "scope") {
				used[v.Section] = true
			}
		}
	}
	var idle []string
	for _, path := range knobs(reflect.TypeFor[Profile](), "") {
		if !used[path] && unused[path] == "" {
			idle = append(idle, path)
		}
	}
	assert.Empty(t, idle)
}

// knobs lists the members of a profile: those of the shared kinds of clauses where they have a meaning.
func knobs(typ reflect.Type, path string) (list []string) {
	belongs := map[string][]string{
		"marker": {"replay"}, "retry_hint": {"in_flight"}, "ignore": nil, "headers": {"replay"}, "id": {"replay", "mismatch"},
		"flag": {"replay"}, "compares": {"mismatch"}, "min_wait": {"in_flight"}, "max_wait": {"in_flight"},
		"status": {"replay", "mismatch", "in_flight", "missing", "expired"}, "code": {"replay", "mismatch", "in_flight", "missing"},
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		at := strings.TrimPrefix(path+"."+name, ".")
		kind := f.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		places, limited := belongs[name]
		switch {
		case options == "inline" && kind != reflect.TypeFor[Claim]():
			list = append(list, knobs(kind, path)...)
		case options == "inline" || path == "" && kind.Kind() != reflect.Struct || path == "mismatch_in_flight":
		case limited && typ == reflect.TypeFor[Clause]() && !slices.Contains(places, path):
		case strings.HasPrefix(path, "failures") && kind == reflect.TypeFor[Clause](), strings.HasPrefix(path, "scope") && kind == reflect.TypeFor[Clause]():
			list = append(list, at)
		case kind.Kind() == reflect.Struct && kind != reflect.TypeFor[Code]():
			list = append(list, knobs(kind, at)...)
		default:
			list = append(list, at)
		}
	}
	return list
}

// The words that a knob may take are used, too, or only a target file has use for them.
func TestEachModeIsUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, name := range ProfileNames() {
		p, err := ProfileNamed(name, "nowhere")
		require.NoError(t, err)
		used[string(p.Key.In)], used[string(p.Key.Quoting)], used[string(p.Key.Generator)] = true, true, true
		for _, list := range []Strings{p.Retention.Age, p.Mismatch.Compares} {
			for _, word := range list {
				used[word] = true
			}
		}
		for _, c := range clausesOf(&p) {
			for _, mode := range c.clause.Mode {
				used[mode] = true
			}
		}
	}
	var words []string
	for _, c := range clausesOf(&Profile{}) {
		words = append(words, c.modes...)
	}
	for _, in := range KeyPlaces() {
		words = append(words, string(in))
	}
	words = append(words, AgeWays()...)
	for _, word := range words {
		idle := word == "form" // EC2 takes forms as well
		assert.Equal(t, !idle, used[word], word)
	}
}

func TestSectionsOfAProfile(t *testing.T) {
	t.Parallel()
	p, err := ProfileNamed("adyen", "")
	require.NoError(t, err)
	texts := map[string]string{}
	for _, v := range p.Values() {
		texts[v.Path()] = v.Text
	}
	assert.Equal(t, "422 or 409", texts["in_flight.status"])
	assert.Equal(t, "704 at $.errorCode", texts["in_flight.code"])
	assert.Equal(t, "transient-error", texts["in_flight.retry_hint.name"])
	assert.Equal(t, "7d", texts["retention.min"])
	assert.Equal(t, "shared", texts["scope.user.mode"])
	assert.Equal(t, "7d to 14d", p.KeptFor())
	assert.Equal(t, "header idempotency-key", p.Key.Place())
	netsuite, err := ProfileNamed("netsuite", "")
	require.NoError(t, err)
	i := slices.IndexFunc(netsuite.Values(), func(v ProfileValue) bool { return v.Path() == "key.companions" })
	require.GreaterOrEqual(t, i, 0)
	assert.Equal(t, "Prefer: respond-async", netsuite.Values()[i].Text)
	assert.Equal(t, "75h30m", Duration(75*time.Hour+30*time.Minute).Words())
	assert.Equal(t, "24h", Duration(24*time.Hour).Words())
	assert.Equal(t, "5m", Duration(5*time.Minute).Words())
}

func TestCodesInAnswers(t *testing.T) {
	t.Parallel()
	soap := []byte(`<?xml version="1.0"?><R xmlns:e="urn:x"><Errors><Error><e:Code> A </e:Code></Error><Error><Code>B</Code></Error></Errors><error code="9">x</error></R>`)
	x := Exchange{Content: soap, Answer: http.Header{"Result": {"rejected"}, "Location": {"/jobs/7"}}}
	for _, c := range []struct {
		at   string
		in   Strings
		want bool
	}{
		{"xml:Code", Strings{"B"}, true}, {"xml:Code", Strings{"A"}, true}, {"xml:Code", Strings{"C"}, false}, {"xml:Code", nil, true},
		{"xml:error@code", Strings{"9"}, true}, {"xml:error@code", Strings{"1"}, false}, {"xml:error@none", nil, false},
		{"header:Result", Strings{"rejected"}, true}, {"header:Result", Strings{"accepted"}, false}, {"header:Location", nil, true},
		{"header:Absent", nil, false}, {"$.code", nil, false},
	} {
		assert.Equal(t, c.want, CodeIn(&Code{At: c.at, In: c.in}, x), "%s %v", c.at, c.in)
	}
	assert.True(t, CodeIn(nil, x))
	assert.Equal(t, "A", CodeFound(&Code{At: "xml:Code"}, x))
	assert.Equal(t, "7", IDAt("header:Location", x))
	assert.Equal(t, "A", IDAt("xml:Code", x))
	assert.False(t, CodeIn(&Code{At: "xml:Code"}, Exchange{Content: []byte("<Code")}))
}

func TestAsyncAnswers(t *testing.T) {
	t.Parallel()
	a := &Async{Status: Ints{202}, Job: "header:Location", Done: &Code{At: "$.completed", In: Strings{"true"}},
		Failed: &Code{At: "$.progress", In: Strings{"failed"}}, Result: "$.result", ID: "$.id"}
	accepted := Exchange{Status: 202, Answer: http.Header{"Location": {"/jobs/7"}}}
	assert.Equal(t, "/jobs/7", a.JobOf(accepted))
	accepted.Status = 201
	assert.Empty(t, a.JobOf(accepted), "done at once")
	accepted.Status = 400
	assert.Equal(t, "/jobs/7", a.JobOf(accepted), "an error may point at the earlier job")
	answer := func(status int, body string) Exchange { return Exchange{Status: status, Content: []byte(body)} }
	assert.False(t, a.Ended(answer(200, `{"completed":false}`)))
	assert.True(t, a.Ended(answer(200, `{"completed":true}`)))
	assert.True(t, a.Ended(answer(404, ``)))
	assert.True(t, a.Broke(answer(404, ``)))
	assert.True(t, a.Broke(answer(200, `{"progress":"failed"}`)))
	assert.False(t, a.Broke(answer(200, `{"completed":true}`)))
	assert.Equal(t, "/r/1", a.ResultOf(answer(200, `{"result":"/r/1"}`)))
	assert.Equal(t, "D1", a.RecordID(Operation{ID: "$.other"}, answer(200, `{"id":"D1"}`)))
	bare := &Async{Status: Ints{202}}
	assert.False(t, bare.Ended(answer(202, ``)), "without a sign of its own, a job runs as long as it is answered 202")
	assert.True(t, bare.Ended(answer(200, ``)))
	var none *Async
	assert.Empty(t, none.JobOf(accepted))
}

func TestFreshKeys(t *testing.T) {
	t.Parallel()
	for _, name := range ProfileNames() {
		p, err := ProfileNamed(name, "")
		require.NoError(t, err)
		key, err := p.Key.Fresh(strings.NewReader(strings.Repeat("random bytes, more or less", 9)))
		require.NoError(t, err, name)
		if p.Key.MaxLength > 0 {
			assert.LessOrEqual(t, len(key), p.Key.MaxLength, name)
		}
		assert.GreaterOrEqual(t, len(key), p.Key.MinLength, name)
		for _, c := range key {
			assert.True(t, p.Key.Alphabet == "" || strings.ContainsRune(p.Key.Alphabet, c), "%s: %q", name, key)
		}
	}
	five, err := Key{Generator: GeneratorUUID5}.Fresh(strings.NewReader("0123456789abcdef"))
	require.NoError(t, err)
	assert.Equal(t, byte('5'), five[14], "the version of a UUID5")
	for _, g := range Generators() {
		key, err := Key{Generator: g}.Fresh(strings.NewReader(strings.Repeat("~random", 9)))
		require.NoError(t, err)
		want := g
		if g == GeneratorRandom {
			want = "" // which shows in no form
		}
		assert.Equal(t, want, MadeBy(key), "%s", key)
	}
	short, err := Key{MaxLength: 10}.Fresh(strings.NewReader("0123456789abcdef"))
	require.NoError(t, err)
	assert.Len(t, short, 10)
	_, err = Key{}.Fresh(strings.NewReader(""))
	assert.ErrorContains(t, err, "make a key")
}

func TestDatedCompanions(t *testing.T) {
	t.Parallel()
	k := Key{In: InHeader, Name: "Id", Companions: map[string]string{"First-Sent": "{{first_sent}}", "At": "{{now}}", "Again": "{{key}}", "Prefer": "respond-async"}}
	first := time.Date(2026, 11, 30, 2, 0, 0, 0, time.FixedZone("", 3600))
	dated, err := k.Dated("k1", first, first.Add(time.Minute))
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"First-Sent": "Mon, 30 Nov 2026 01:00:00 GMT", "At": "Mon, 30 Nov 2026 01:01:00 GMT", "Again": "k1", "Prefer": "respond-async"}, dated.Companions)
	assert.Equal(t, "{{now}}", k.Companions["At"], "the profile's own key is not changed")
	_, err = Key{Companions: map[string]string{"A": "{{marker}}"}}.Dated("k1", first, first)
	assert.ErrorContains(t, err, "header A")
}
