package steps

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// Shard is one of several parts into which a run is split. The zero value is the whole.
type Shard struct{ Index, Of int }

// mostShards is how many shards a run may have.
const mostShards = 1000

// ParseShard reads "2/4": the second of four shards. The error says what is wrong with the text.
func ParseShard(text string) (Shard, error) {
	index, of, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	switch {
	case !ok || err1 != nil || err2 != nil:
		return Shard{}, fmt.Errorf("read the shard %q: it is written i/n, from 1/n to n/n", text)
	case n < 1 || n > mostShards || i < 1 || i > n:
		return Shard{}, fmt.Errorf("read the shard %q: it goes from 1/n to n/n, with at most %d shards", text, mostShards)
	}
	return Shard{i, n}, nil
}

// String gives "2/4", and nothing for the whole.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// of gives the shard that reports a case. It depends on the case's address and on how many shards there are, so that
// another case more or less moves none.
func (s Shard) of(id string) Shard {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // a hash takes everything
	return Shard{1 + int(h.Sum64()%uint64(s.Of)), s.Of}
}

// Split marks which shard reports each case, and which cases are not run in this one. A case that others stand on is run
// in each shard that needs it. The whole is left as it is. A shard without a case of its own is an error: what it would
// say is nothing.
func (s Shard) Split(cases []Case) ([]Case, error) {
	if s.Of == 0 {
		return cases, nil
	}
	out := slices.Clone(cases)
	needed := map[string]bool{}
	for i := range out {
		c := &out[i]
		owner := s.of(c.ID)
		c.Shard, c.Elsewhere = owner.String(), owner != s
		if !c.Elsewhere {
			needed[c.ID], needed[c.After] = true, true
		}
	}
	if len(needed) == 0 {
		return nil, fmt.Errorf("shard %s has no case: %d are selected; split them into fewer shards", s, len(cases))
	}
	for i := range out {
		out[i].Elsewhere = !needed[out[i].ID]
	}
	return out, nil
}
