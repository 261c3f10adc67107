package discover

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/idempotency-conformance/idemcheck/targets"
	"github.com/idempotency-conformance/idemcheck/targets/intake"
)

// maxProbes bounds the requests that are sent to find out where the marker goes and how the key is written, without
// those of the list call.
const maxProbes = 18

// prober is a verification while it runs.
type prober struct {
	Options
	res   Result
	lag   time.Duration // of the list behind the create
	keyed bool          // a create with a key was accepted
	tries int
	// By place of the marker: a create was accepted and its record not found again.
	hidden map[string]bool
}

// find looks for a place for the marker: a text of the body with which the create is accepted and the record is found
// again. On the way it learns how the key is written, where the id stands and how far the list lags behind. It reports
// true where the verification has ended with that.
func (p *prober) find(ctx context.Context) (ended bool, err error) {
	places := p.Draft.Places(p.Draft.Wanted())
	if len(places) == 0 {
		p.end(CouldNotTell, "there is no place for a unique text by which the records of this check could be found: the body holds no text that can be changed")
		return true, nil
	}
	why, markers := "", map[string]bool{}
	for _, place := range places {
		if markers[place.Marker] = true; len(markers) > mostMarkers || p.tries >= maxProbes-3 {
			break
		}
		if p.hidden[place.Marker] {
			continue // what the list does not show, it does not show without the variation either
		}
		if why, ended, err = p.try(ctx, place); ended || err != nil {
			return true, err
		}
		if why == "" {
			return false, nil
		}
	}
	p.end(CouldNotTell, why)
	return true, nil
}

// mostMarkers bounds how many members are tried for the marker: each costs a record.
const mostMarkers = 3

// try sends a create with the marker at a place. It says why that is none; empty where it is.
func (p *prober) try(ctx context.Context, place intake.Place) (why string, ended bool, err error) {
	d := p.Draft.Marked(place)
	x, marker, err := p.create(ctx, d, true)
	if err != nil || p.hopeless(ctx, x) {
		return "", true, err
	}
	why = "the create is refused: " + answered(x)
	if !x.Succeeded() && !p.keyed {
		if x, marker, ended, err = p.otherKey(ctx, d); ended || err != nil {
			return "", true, err
		}
	}
	if !x.Succeeded() {
		return why, false, nil
	}
	p.keyed = true
	why, ended, err = p.recognise(ctx, d, x, marker)
	switch {
	case why == "" && !ended && err == nil:
		p.res.Draft, p.res.Place = d, placeText(place)
	case place.Vary != place.Marker:
		p.hidden[place.Marker] = true
	}
	return why, ended, err
}

func placeText(p intake.Place) string {
	text := "where you put {{marker}}"
	if p.Marker != "" {
		text = intake.PlaceText(p.Marker)
	}
	if p.Vary != "" && p.Vary != p.Marker {
		text += "; another payload differs in " + intake.PlaceText(p.Vary)
	}
	return text
}

func (p *prober) end(v Verdict, why string) { p.res.Verdict, p.res.Why = v, why }

// create sends the create once, with a fresh marker and, where asked, a fresh key. 429 is obeyed.
func (p *prober) create(ctx context.Context, d *intake.Draft, keyed bool) (targets.Exchange, string, error) {
	t, err := d.Target(fileName, p.Env)
	if err != nil {
		return targets.Exchange{}, "", err
	}
	endpoint, err := p.Open(ctx, t)
	if err != nil {
		return targets.Exchange{}, "", err
	}
	defer func() { _ = endpoint.Close() }() // it holds nothing but settings
	p.tries++
	marker := fmt.Sprintf("%s-find-%04d", p.res.Marker, p.tries)
	vars := targets.Vars{"marker": marker, "revision": "P1", "payload": "A check of idempotency keys, revision P1", "event": "E-" + marker,
		"target_record": "A-" + marker, "tenant": "T1", "environment": "production", "operation": "create"}
	a, err := t.Operations[0].Build(endpoint.URL, t.Headers, vars)
	if err != nil {
		return targets.Exchange{}, "", err
	}
	a.Name, a.Operation = "probe", "create"
	if keyed {
		if err := p.placeKey(t.Profile.Key, &a); err != nil {
			return targets.Exchange{}, "", err
		}
	}
	x := p.obey(ctx, endpoint.Sender, a)
	if x.Succeeded() {
		id := t.Operations[0].RecordID(x)
		if d.ID = orDefault(d.ID, guessID(x)); id == "" {
			id = targets.Operation{ID: d.ID}.RecordID(x)
		}
		p.res.Records = append(p.res.Records, id)
	}
	return x, marker, nil
}

func (p *prober) placeKey(k targets.Key, a *targets.Attempt) error {
	id, err := uuid.NewRandomFromReader(p.Random)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	return targets.Place(k, id.String(), a)
}

// obey sends, and sends again when the vendor says so.
func (p *prober) obey(ctx context.Context, s *targets.Sender, a targets.Attempt) targets.Exchange {
	for try := 1; ; try++ {
		p.res.Requests++
		x := s.Send(ctx, a)
		if x.Status != http.StatusTooManyRequests || try == 5 {
			return x
		}
		pause := time.Second
		if d, said := x.RetryAfter(x.Ended); said {
			pause = min(d, 30*time.Second)
		}
		if p.Wait(ctx, pause) != nil {
			return x
		}
	}
}

// hopeless ends the verification where no other place or key would help.
func (p *prober) hopeless(ctx context.Context, x targets.Exchange) bool {
	switch {
	case ctx.Err() != nil:
		p.end(CouldNotTell, "interrupted")
	case !x.Answered():
		p.end(CouldNotTell, fmt.Sprintf("the vendor gave no answer (%s): %s", x.Failure, x.Err))
	case x.Status == http.StatusUnauthorized || x.Status == http.StatusForbidden:
		p.end(CouldNotTell, "the vendor refuses the credential: "+answered(x))
	case x.Status == http.StatusNotFound || x.Status == http.StatusMethodNotAllowed:
		p.end(CouldNotTell, "there is nothing at this address to create: "+answered(x))
	case x.Status == http.StatusTooManyRequests:
		p.end(CouldNotTell, "the vendor keeps refusing for its rate (429)")
	case x.Status >= 500:
		p.end(CouldNotTell, "the create fails: "+answered(x))
	case x.Status >= 300 && x.Status < 400:
		p.end(CouldNotTell, "the vendor redirects, and redirects are not followed: "+answered(x)+" to "+printable(x.Answer.Get("Location"), 200))
	default:
		return false
	}
	return true
}

// otherKey tries a refused create with the key in quotes (RFC 9651), and without any key: where only that is accepted,
// the vendor refuses the header.
func (p *prober) otherKey(ctx context.Context, d *intake.Draft) (x targets.Exchange, marker string, ended bool, err error) {
	if d.Key.In == targets.InHeader && d.Key.Quoting == "" {
		quoted := *d
		quoted.Key.Quoting = targets.QuotingSFString
		if x, marker, err = p.create(ctx, &quoted, true); err != nil || x.Succeeded() {
			d.Key, d.ID, p.Draft.Key = quoted.Key, quoted.ID, quoted.Key
			return x, marker, false, err
		}
	}
	bare, marker, err := p.create(ctx, d, false)
	if err != nil {
		return x, marker, false, err
	}
	if !bare.Succeeded() {
		return bare, marker, false, nil
	}
	x, _, err = p.create(ctx, d, true) // once more: the first refusal may have had another reason
	if err == nil && !x.Succeeded() && x.Answered() {
		p.end(Refused, fmt.Sprintf("the create is accepted without %s and refused with it: %s", d.Key.Name, answered(x)))
		return x, marker, true, nil
	}
	return x, marker, false, err
}

// recognise finds the record of an accepted create again. It says why it could not; empty where it did.
func (p *prober) recognise(ctx context.Context, d *intake.Draft, x targets.Exchange, marker string) (why string, ended bool, err error) {
	id := targets.Operation{ID: d.ID}.RecordID(x)
	if id == "" {
		p.end(CouldNotTell, fmt.Sprintf("no record id was found in the answer to the create (%s, %s)", answered(x), orDefault(x.Answer.Get("Content-Type"), "no content type")))
		return "", true, nil
	}
	if p.Strength == Counted {
		if why, err = p.listed(ctx, d, marker, id); why != "" || err != nil {
			return why, false, err
		}
	}
	return "", false, p.readable(ctx, d, marker, id)
}

// readable finds out how a record is read: by its id below the collection, else by the list call, where that asks for
// the marker and does not lag.
func (p *prober) readable(ctx context.Context, d *intake.Draft, marker, id string) error {
	if d.Read != "" {
		return nil
	}
	line := "GET " + d.Collection() + "/{{id}}"
	x, err := p.get(ctx, d, line, targets.Vars{"id": id})
	if err != nil {
		return err
	}
	switch {
	case x.Succeeded() && strings.Contains(string(x.Content), marker):
		d.Read = line
	case d.List != nil && d.Wanted() != "" && p.lag == 0:
		d.Read = d.List.Line
	}
	return nil
}

// get sends one reading request.
func (p *prober) get(ctx context.Context, d *intake.Draft, line string, vars targets.Vars) (targets.Exchange, error) {
	t, err := d.Target(fileName, p.Env)
	if err != nil {
		return targets.Exchange{}, err
	}
	endpoint, err := p.Open(ctx, t)
	if err != nil {
		return targets.Exchange{}, err
	}
	defer func() { _ = endpoint.Close() }()
	a, err := targets.Request{Line: line}.Build(endpoint.URL, t.Headers, vars)
	if err != nil {
		return targets.Exchange{}, err
	}
	return p.obey(ctx, endpoint.Sender, a), nil
}
