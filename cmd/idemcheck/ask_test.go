package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/steps/discover"
	"github.com/idempotency-conformance/idemcheck/targets"
)

// person answers questions of how many records the vendor's page shows by looking at it.
type person struct {
	t    *testing.T
	url  string
	asks int
}

var askedMarker = regexp.MustCompile(`ic-[0-9a-z-]+`)

func (p *person) answer(question string) string {
	p.asks++
	r, err := http.NewRequest(http.MethodGet, p.url+"/v1/orders", nil)
	require.NoError(p.t, err)
	r.Header.Set("Authorization", "Bearer person")
	answer, err := http.DefaultClient.Do(r)
	require.NoError(p.t, err)
	defer answer.Body.Close()
	var page struct {
		Data []struct {
			Reference string `json:"reference"`
		} `json:"data"`
	}
	require.NoError(p.t, json.NewDecoder(answer.Body).Decode(&page))
	n := 0
	for _, o := range page.Data {
		if strings.Contains(o.Reference, askedMarker.FindString(question)) {
			n++
		}
	}
	return strconv.Itoa(n)
}

// A person is asked a few times, and what they see decides.
func TestVerifyAsksAPerson(t *testing.T) {
	t.Parallel()
	program := buildVendor(t)
	for mode, want := range map[string]discover.Verdict{
		"honours": discover.Honoured, "ignores": discover.Ignored, "honours-but-races": discover.Partly,
		"does-not-compare-payloads": discover.Partly, "content-filter": discover.Ignored,
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := &person{t: t, url: vendor(t, program, mode)}
			f := verifyFlags{source: source{curl: pasted(p.url)}, countIDs: true, patience: time.Second}
			cmd := &cobra.Command{}
			cmd.SetIn(strings.NewReader(""))
			o, err := f.options(cmd)
			require.NoError(t, err)
			o.Strength = discover.Asked
			o.Ask = func(ctx context.Context, question string) (int, bool, error) {
				return newTalk(strings.NewReader("many\n"+p.answer(question)+"\n"), io.Discard).number(ctx, question)
			}
			r, err := discover.Run(t.Context(), o)
			require.NoError(t, err)
			assert.Equal(t, want, r.Verdict, r.Why)
			assert.Equal(t, discover.Asked, r.Strength)
			assert.LessOrEqual(t, p.asks, 4)
		})
	}
}

// Nobody can be made to answer: without a number nothing is known.
func TestVerifyAsksNobody(t *testing.T) {
	t.Parallel()
	f := verifyFlags{source: source{curl: pasted(vendor(t, buildVendor(t), "honours"))}, countIDs: true}
	cmd := &cobra.Command{}
	cmd.SetIn(strings.NewReader(""))
	o, err := f.options(cmd)
	require.NoError(t, err)
	o.Strength = discover.Asked
	o.Ask = newTalk(strings.NewReader("?\n"), io.Discard).number
	r, err := discover.Run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, discover.CouldNotTell, r.Verdict)
}

func TestTalk(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	talk := newTalk(strings.NewReader("-1\n 3 \n?\nyes\nno\n"), &out)
	n, told, err := talk.number(t.Context(), "How many")
	require.NoError(t, err)
	assert.True(t, told)
	assert.Equal(t, 3, n)
	_, told, err = talk.number(t.Context(), "How many")
	require.NoError(t, err)
	assert.False(t, told)
	assert.True(t, talk.yes("Go on?"))
	assert.False(t, talk.yes("Go on?"))
	assert.False(t, talk.yes("Go on?"), "nobody is there any more")
	assert.Contains(t, out.String(), "How many? [a number, or ? if you cannot tell]: ")
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	answers := strings.Join([]string{"POST https://v.example/orders", "Authorization: Bearer abcdef", "", `{"reference":"x","note":"y"}`,
		"Request-Key", "GET https://v.example/orders?reference={{marker}}", "$.rows[*]", "$.order.id"}, "\n") + "\n"
	d, err := questions(strings.NewReader(answers), io.Discard)
	require.NoError(t, err)
	target, err := d.Marked(d.Places(d.Wanted())[0]).Target("t.yaml", nil)
	require.NoError(t, err)
	assert.Equal(t, "https://v.example", target.URL)
	assert.Equal(t, "Request-Key", target.Profile.Key.Name)
	assert.Equal(t, targets.InHeader, target.Profile.Key.In)
	assert.Equal(t, "$.rows[*]", target.Observers[0].List.Items)
	assert.Equal(t, "$.order.id", target.Operations[0].ID)
	assert.Equal(t, "Bearer abcdef", target.Headers["Authorization"])
	_, err = questions(strings.NewReader("nonsense\n"), io.Discard)
	require.ErrorContains(t, err, "POST https://")
	_, err = questions(strings.NewReader(""), io.Discard)
	require.Error(t, err)
}
