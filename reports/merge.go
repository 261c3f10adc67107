package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ShardEvents is the event stream of one shard, with its name in messages.
type ShardEvents struct {
	Name   string
	Events []Event
}

// Merge joins the event streams of the shards of one run into the stream of the whole: the plan once, each case once
// with the worst verdict that a shard gave it, and all times measured from the earliest start. A shard that is missing or
// whose stream has no end makes the whole one that ended early, and says so. The error says why streams do not belong
// together: one that is of no shard, of another run, target, plan or split, or a shard that is there twice.
func Merge(streams []ShardEvents) ([]Event, error) {
	var shards []*shard
	for _, s := range streams {
		one, err := newShard(s)
		if err != nil {
			return nil, err
		}
		shards = append(shards, one)
	}
	if len(shards) == 0 {
		return nil, fmt.Errorf("merge the shards: there is none")
	}
	slices.SortStableFunc(shards, func(a, b *shard) int { return cmp.Compare(a.index, b.index) })
	for i, s := range shards {
		if err := s.belongsTo(shards[0]); err != nil {
			return nil, err
		}
		if i > 0 && shards[i-1].index == s.index {
			return nil, fmt.Errorf("merge the shards: shard %s is there twice: %s and %s", s.about.Shard, shards[i-1].name, s.name)
		}
	}
	m := merger{shards: shards, began: slices.MinFunc(shards, func(a, b *shard) int { return a.began.Compare(b.began) }).began}
	return m.merge(), nil
}

// shard is one shard as it was read.
type shard struct {
	name      string
	events    []Event
	began     time.Time
	about     RunStarted
	index, of int
	plan      []CasePlanned
	known     []KnownEntry
	report    Report
	verdicts  map[string]Verdict
}

func newShard(in ShardEvents) (*shard, error) {
	s := &shard{name: in.Name, events: in.Events, verdicts: map[string]Verdict{}}
	for _, e := range in.Events {
		switch {
		case e.RunStarted != nil:
			s.began, s.about = e.At, *e.RunStarted
		case e.CasePlanned != nil:
			s.plan = append(s.plan, *e.CasePlanned)
		case e.Known != nil:
			s.known = append(s.known, *e.Known)
		}
	}
	index, of, ok := strings.Cut(s.about.Shard, "/")
	s.index, _ = strconv.Atoi(index)
	s.of, _ = strconv.Atoi(of)
	if !ok || s.index < 1 || s.of < s.index {
		return nil, fmt.Errorf("merge the shards: %s is no shard of a run (idemcheck run --shard i/n --events FILE)", in.Name)
	}
	s.report = Fold(in.Events)
	for _, c := range s.report.Cases {
		s.verdicts[c.ID] = c.Verdict
	}
	return s, nil
}

// belongsTo says why a shard is no part of the same run as another.
func (s *shard) belongsTo(first *shard) error {
	for _, d := range []struct{ what, mine, theirs string }{
		{"split", "into " + strconv.Itoa(s.of), "into " + strconv.Itoa(first.of)},
		{"group", s.about.Group, first.about.Group},
		{"target", s.about.Target, first.about.Target},
		{"profile", s.about.Profile, first.about.Profile},
		{"version of the tool", s.about.Tool, first.about.Tool},
		{"strictness", strconv.FormatBool(s.about.Strict), strconv.FormatBool(first.about.Strict)},
		{"command", s.about.Command, first.about.Command},
	} {
		if d.mine != d.theirs {
			return fmt.Errorf("merge the shards: %s is of another %s than %s: %q, not %q", s.name, d.what, first.name, d.mine, d.theirs)
		}
	}
	// A shard that was cut off while it planned knows the beginning of the plan.
	for i := range min(len(s.plan), len(first.plan)) {
		if mine, theirs := s.plan[i], first.plan[i]; mine.ID != theirs.ID || mine.Level != theirs.Level || mine.Shard != theirs.Shard {
			return fmt.Errorf("merge the shards: %s is of another plan than %s: case %d is %s, not %s", s.name, first.name, i+1, mine.ID, theirs.ID)
		}
	}
	if len(s.plan) != len(first.plan) && s.report.Complete && first.report.Complete {
		return fmt.Errorf("merge the shards: %s is of another plan than %s: %d cases, not %d", s.name, first.name, len(s.plan), len(first.plan))
	}
	return nil
}

// ended says why the shard did not come to its end; empty: it did.
func (s *shard) ended() string {
	switch {
	case !s.report.Complete:
		return fmt.Sprintf("shard %s is incomplete: %s has no end", s.about.Shard, s.name)
	case s.report.Stopped != "":
		return fmt.Sprintf("shard %s ended early: %s", s.about.Shard, s.report.Stopped)
	}
	return ""
}
