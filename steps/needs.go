package steps

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Abilities are what an open endpoint can do beyond what its target file says.
type Abilities struct {
	Kill     bool
	Restart  bool
	Replicas bool // further instances are started with it
	// RestartStore: its database can be restarted.
	RestartStore bool
	// MaxWait is how long a case may really wait, where that is how the target's time moves (--max-wait).
	MaxWait time.Duration
}

// need says how to meet a need: whether the target does, and what to add to the target file where it does not.
type need struct {
	met func(*targets.Target, Abilities) bool
	add string
}

// needManyRecords is met by a target file that allows more records than any but a deliberate run creates.
const needManyRecords targets.Need = "many-records"

const manyRecords = 15_000

// needs lists every need that a scenario may have.
var needs = map[targets.Need]need{
	targets.NeedCrash: {func(_ *targets.Target, a Abilities) bool { return a.Kill },
		"let idemcheck start the target (run:), so that it can be killed"},
	targets.NeedRestart: {func(_ *targets.Target, a Abilities) bool { return a.Restart },
		"let idemcheck start the target (run:), so that it can be restarted"},
	targets.NeedCrashPoints: {func(t *targets.Target, _ Abilities) bool { return hasPoints(t) },
		"say at which points a request can be stopped (run.crash_points)"},
	targets.NeedKillPoints: {func(t *targets.Target, a Abilities) bool { return hasPoints(t) && a.Kill && a.Restart },
		"let idemcheck start the target (run:) and say at which points a request can be stopped (run.crash_points)"},
	targets.NeedDatabaseProxy: {func(t *targets.Target, _ Abilities) bool { return hasProxy(t) },
		"let idemcheck stand before the target's database (run.crash_points.through)"},
	targets.NeedDatabase: {func(t *targets.Target, a Abilities) bool { return hasProxy(t) && a.RestartStore },
		"let idemcheck run the target's database in a container (run.container.services) and stand before it (run.crash_points.through)"},
	targets.NeedClock: {func(t *targets.Target, _ Abilities) bool { return t.Clock != nil },
		"say how the target's time is moved (clock:)"},
	targets.NeedRetentionMin: {func(t *targets.Target, _ Abilities) bool {
		return documentedRetention(t) && t.Profile.Retention.Min > 0
	},
		"say how long a key is certainly kept (retention.min)"},
	targets.NeedRetentionMax: {func(t *targets.Target, _ Abilities) bool { return endOfRetention(t.Profile) > 0 },
		"say when a key is certainly gone (retention.max), or that it never is (expired: {mode: never})"},
	targets.NeedRetention: {func(t *targets.Target, _ Abilities) bool {
		return t.Profile.Retention.Min > 0 || t.Profile.Retention.Max > 0 || endOfRetention(t.Profile) > 0
	}, "say how long a key is kept (retention)"},
	targets.NeedExpiredNew: {func(t *targets.Target, _ Abilities) bool {
		return t.Profile.Expired.Provenance == targets.Documented && t.Profile.Expired.Has(targets.ModeNewRecord) && !filterOutlivesKey(t)
	}, "the profile does not document that an expired key makes a new record (expired: {mode: new_record}), or a content filter refuses that for longer (content_filter.within)"},
	targets.NeedContentFilter: {func(t *targets.Target, _ Abilities) bool { return len(t.Profile.ContentFilter.Members) > 0 },
		"name the members by which equal content is refused under another key, if it is (content_filter.members)"},
	targets.NeedContentWindow: {func(t *targets.Target, _ Abilities) bool {
		return t.Profile.ContentFilter.Within > 0 && t.Profile.ContentFilter.Judged()
	}, "say for how long equal content is refused, if not for ever (content_filter.within)"},
	targets.NeedHorizon: {func(t *targets.Target, _ Abilities) bool { return horizon(t.Profile) > 0 },
		"say how long the sender delivers an event again (delivery: {horizon: 3d})"},
	targets.NeedMemory: {func(t *targets.Target, _ Abilities) bool { return memory(t.Profile) > 0 },
		"say how long the receiver remembers an event (delivery: {memory: 7d})"},
	targets.NeedTries: {func(t *targets.Target, _ Abilities) bool {
		return t.Profile.Delivery != nil && t.Profile.Delivery.Tries > 1
	},
		"say how often the sender delivers an event at most (delivery: {tries: 5})"},
	targets.NeedRetry: {func(t *targets.Target, _ Abilities) bool { return len(t.Retry) > 0 },
		"list when your senders try again, counted from the first attempt (retry: 30s, 5m, 1h)"},
	targets.NeedSecondTenant: {func(t *targets.Target, _ Abilities) bool { return t.Namespaces.OtherTenant != nil },
		"give the credentials of another tenant (namespaces.other_tenant)"},
	targets.NeedTestEnvironment: {func(t *targets.Target, _ Abilities) bool { return t.Namespaces.TestEnvironment != nil },
		"say how the test environment is reached (namespaces.test_environment)"},
	targets.NeedOtherRegion: {func(t *targets.Target, _ Abilities) bool {
		return t.Namespaces.OtherRegion != nil && isolated(t.Profile.Scope.Region)
	}, "say how another region is reached, and that a key counts in one only (namespaces.other_region, scope.region)"},
	targets.NeedOtherPartition: {func(t *targets.Target, _ Abilities) bool {
		return t.Namespaces.OtherPartition != nil && isolated(t.Profile.Scope.Partition)
	}, "say how another part of the account is reached, and that a key counts in one only (namespaces.other_partition, scope.partition)"},
	targets.NeedOtherOperation: {hasOtherOperation,
		"describe a second operation and an observer that counts its records (operations, observers[].operation)"},
	targets.NeedReplicas: {func(t *targets.Target, a Abilities) bool { return len(t.Replicas) > 0 || a.Replicas },
		"give the addresses of further instances (replicas)"},
	targets.NeedApprovals: {func(t *targets.Target, _ Abilities) bool { return t.Approve != nil && t.Held != nil },
		"say how an event is approved and how a held answer looks (approve, held)"},
	targets.NeedLesserCaller: {hasLesserCaller,
		"give a credential that may not use the second operation (callers.without-<operation>)"},
	targets.NeedUnauthorized: {func(t *targets.Target, _ Abilities) bool { return unauthorizedCaller(t) != nil },
		"give a credential that may not use the main operation (callers.without-<operation>)"},
	targets.NeedAnotherCaller: {func(t *targets.Target, _ Abilities) bool { return t.Callers[anotherCaller].Headers != nil },
		"give another credential of the same tenant (callers." + anotherCaller + ")"},
	targets.NeedRevocation: {func(t *targets.Target, _ Abilities) bool { return revocable(t) != nil },
		"give a credential that can be revoked, and say how (callers.<name>.revoke)"},
	targets.NeedRead: {func(t *targets.Target, _ Abilities) bool { return mainOperation(t).Read != "" },
		"say how a record is read (operations.<name>.read)"},
	targets.NeedDelete: {func(t *targets.Target, _ Abilities) bool { return mainOperation(t).Delete != "" },
		"say how a record is deleted (operations.<name>.delete)"},
	targets.NeedExhaust: {canExhaust,
		"say how a limit is reached, after which nothing more is created for a target record (exhaust; not together with values.target_record)"},
	targets.NeedRelieve: {func(t *targets.Target, a Abilities) bool { return canExhaust(t, a) && t.Relieve != nil },
		"say how a limit is lifted again (relieve)"},
	targets.NeedBatch: {func(t *targets.Target, _ Abilities) bool { return t.Batch != nil },
		"say how many rows are written in one request (batch)"},
	targets.NeedBatchRows: {func(t *targets.Target, _ Abilities) bool { return t.Batch != nil && t.Batch.Invalid != nil },
		"say how many rows are written in one request, and what makes a row one that is refused (batch.invalid)"},
	targets.NeedReceiver: {func(t *targets.Target, _ Abilities) bool { return receives(t) },
		"describe where events are received, and an observer that counts what they make (receiver, observers)"},
	targets.NeedCompoundEvent: {func(t *targets.Target, _ Abilities) bool { return t.Receiver != nil && len(t.Receiver.EventID) > 1 },
		"list the parts that make an event's id, if there are several (receiver.event_id)"},
	targets.NeedSignedEvent: {func(t *targets.Target, _ Abilities) bool { return t.Receiver != nil && t.Receiver.Sign != nil },
		"say how events are signed, if they are (receiver.sign)"},
	targets.NeedEventPayload: {func(t *targets.Target, _ Abilities) bool {
		return t.Receiver != nil && (t.Receiver.Mentions("payload") || t.Receiver.Mentions("revision"))
	}, "let {{payload}} or {{revision}} stand in what the receiver is sent, so that two bodies can be told apart"},
	targets.NeedTargetRecord: {func(t *targets.Target, _ Abilities) bool { return mainOperation(t).Mentions("target_record") },
		"let {{target_record}} stand in the main operation, so that two target records can be told apart"},
	targets.NeedPayload: {func(t *targets.Target, _ Abilities) bool {
		return mainOperation(t).Mentions("payload") || mainOperation(t).Mentions("revision")
	}, "let {{payload}} or {{revision}} stand in the main operation, so that two payload revisions can be told apart"},
	targets.NeedEvent: {func(t *targets.Target, _ Abilities) bool { return mainOperation(t).Mentions("event") },
		"let {{event}} stand in the main operation, so that two source events can be told apart"},
	targets.NeedMaterial: {func(t *targets.Target, _ Abilities) bool { return len(mainOperation(t).Material) > 0 },
		"list the body members whose change makes a different request (operations.<name>.material)"},
	targets.NeedInvalid: {func(t *targets.Target, _ Abilities) bool { return mainOperation(t).Invalid != nil },
		"give a body change that the target refuses (operations.<name>.invalid)"},
	targets.NeedLarge: {func(t *targets.Target, _ Abilities) bool { return mainOperation(t).Large != nil },
		"give a body change that makes a large answer (operations.<name>.large, with {{filler}} for a long text)"},
	targets.NeedBody: {func(t *targets.Target, _ Abilities) bool { return mainOperation(t).Body != nil },
		"the operation has no body; there is nothing to compare"},
	targets.NeedTextBody: {func(t *targets.Target, _ Abilities) bool { return textOperation(t) != nil },
		"describe an operation whose body is a plain text, and an observer that counts its records (operations, observers[].operation)"},
	targets.NeedJSONBody: {func(t *targets.Target, _ Abilities) bool {
		return mainOperation(t).Body != nil && mainOperation(t).Body.IsJSON()
	},
		"the operation has no JSON body; there is nothing to reorder"},
	targets.NeedKey: {func(t *targets.Target, _ Abilities) bool { return t.Profile.Key.In != targets.InNone },
		"the target takes no key"},
	targets.NeedOpaqueKey: {func(t *targets.Target, _ Abilities) bool { return t.Profile.Key.Template == "" },
		"the key is derived from the bundle (key.template), so one bundle cannot have two keys"},
	targets.NeedHeaderKey: {func(t *targets.Target, _ Abilities) bool { return keyInHeader(t) },
		"the key travels in no header"},
	targets.NeedSpacedKey: {func(t *targets.Target, _ Abilities) bool { return keepsSpace(t) },
		"HTTP drops a space at the end of a bare header, so that no such key can be sent (key.quoting)"},
	targets.NeedKeyForm: {func(t *targets.Target, _ Abilities) bool { return len(keyForms(t.Profile.Key)) > 0 },
		"say what a key may look like (key.max_length, key.min_length, key.alphabet)"},
	targets.NeedKeyedDelete: {hasKeyedDelete,
		"say that a delete takes a key, and how a record is deleted (key.methods: [POST, DELETE], operations.<name>.delete)"},
	targets.NeedSlow: {func(t *targets.Target, _ Abilities) bool { return len(t.Switches.Slow) > 0 },
		"say how the target is made slow (switches.slow)"},
	targets.NeedLock: {func(t *targets.Target, _ Abilities) bool { return t.Lock > 0 },
		"say how long an in-flight lock lives (lock)"},
	targets.NeedFail: {func(t *targets.Target, _ Abilities) bool { return len(t.Switches.Fail) > 0 },
		"say how the target is made to fail (switches.fail)"},
	targets.NeedRefuse: {func(t *targets.Target, _ Abilities) bool { return len(t.Switches.Refuse) > 0 },
		"say how the target is made to refuse (switches.refuse)"},
	targets.NeedRefuseStatus: {func(t *targets.Target, _ Abilities) bool { return takesStatus(t.Switches.Refuse) },
		"let {{status}} stand in the switch that makes the target refuse (switches.refuse)"},
	targets.NeedFailStatus: {func(t *targets.Target, _ Abilities) bool { return takesStatus(t.Switches.Fail) },
		"let {{status}} stand in the switch that makes the target fail (switches.fail)"},
	needManyRecords: {func(t *targets.Target, _ Abilities) bool { return t.Limits.Records >= manyRecords },
		fmt.Sprintf("allow as many records as it creates (limits.records: %d)", manyRecords)},
	targets.NeedObserver: {func(t *targets.Target, _ Abilities) bool { return counts(t, mainOperation(t).Name) },
		"add an observer: a list call, a query, a command or a sink (observers)"},
}

func needNames() []string {
	var list []string
	for n := range needs {
		list = append(list, string(n))
	}
	slices.Sort(list)
	return list
}

// loudNeeds touch the whole target, so that no other case may run meanwhile.
var loudNeeds = map[targets.Need]bool{targets.NeedCrash: true, targets.NeedCrashPoints: true, targets.NeedKillPoints: true,
	targets.NeedDatabaseProxy: true, targets.NeedDatabase: true, targets.NeedRestart: true, targets.NeedClock: true,
	targets.NeedRevocation: true}

// documentedRetention: a retention that is only observed may have changed since, and nobody has promised it.
func documentedRetention(t *targets.Target) bool {
	return t.Profile.Retention.Provenance == targets.Documented
}

func hasPoints(t *targets.Target) bool {
	c := crashPoints(t)
	return c != nil && (c.Through != nil || c.Named != nil)
}

func hasProxy(t *targets.Target) bool { return hasPoints(t) && crashPoints(t).Through != nil }

// mainOperation gives the main operation; the loader has made sure that there is one.
func mainOperation(t *targets.Target) targets.Operation { return t.Operations[0] }

// otherOperation gives the second operation; nil when there is none.
func otherOperation(t *targets.Target) *targets.Operation {
	if len(t.Operations) < 2 {
		return nil
	}
	return &t.Operations[1]
}

func hasOtherOperation(t *targets.Target, _ Abilities) bool {
	return otherOperation(t) != nil && counts(t, otherOperation(t).Name)
}

// canExhaust: a listed target record is shared by all cases and must not be used up.
func canExhaust(t *targets.Target, _ Abilities) bool {
	return t.Exhaust != nil && len(t.Values.TargetRecord) == 0
}

func hasLesserCaller(t *targets.Target, a Abilities) bool {
	return hasOtherOperation(t, a) && lesserCaller(t) != nil
}

// lesserCaller finds the credential that lacks the second operation: without-<its name>.
func lesserCaller(t *targets.Target) *targets.Caller {
	if c, ok := t.Callers["without-"+otherOperation(t).Name]; ok {
		return &c
	}
	return nil
}

// counts reports whether an observer other than the answers counts the records of an operation.
func counts(t *targets.Target, operation string) bool {
	for _, o := range t.Observers {
		if !o.Answers && operationOf(t, o) == operation {
			return true
		}
	}
	return false
}

func operationOf(t *targets.Target, o targets.Observer) string {
	if o.Operation != "" {
		return o.Operation
	}
	return mainOperation(t).Name
}

// Missing says in one sentence what to add to the target file so that a case applies; empty when it does.
func Missing(c Case, t *targets.Target, a Abilities) string {
	if t.OnlyReceives() && !slices.Contains(c.Needs, targets.NeedReceiver) {
		return "describe an operation (operations): the target file has nothing but a receiver"
	}
	var add []string
	for _, n := range c.Needs {
		if !needs[n].met(t, a) {
			add = append(add, needs[n].add)
		}
	}
	if long := waiting(c, t); long > a.MaxWait && len(add) == 0 {
		add = append(add, fmt.Sprintf("its time really passes (clock: wait) and the case waits for %s: allow that with --max-wait %s",
			spell(long.Round(time.Second)), spell(long.Truncate(time.Minute)+time.Minute)))
	}
	for _, name := range c.Operations {
		if t.Operations.Named(name) == nil {
			add = append(add, fmt.Sprintf("describe the operation %q (operations)", name))
		}
	}
	return strings.Join(joined(add), "; ")
}

// joined makes one piece of advice of two that differ in nothing but what they are good for.
func joined(add []string) []string {
	const purpose = " so that it can be "
	var list []string
	for _, advice := range add {
		way, what, has := strings.Cut(advice, purpose)
		i := slices.IndexFunc(list, func(other string) bool { return has && strings.HasPrefix(other, way+purpose) })
		if i < 0 {
			list = append(list, advice)
			continue
		}
		list[i] += " and " + what
	}
	return list
}
