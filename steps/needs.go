package steps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// Abilities are what an open endpoint can do beyond what its target file says.
type Abilities struct {
	Kill     bool
	Restart  bool
	Replicas bool // further instances are started with it
	// RestartStore: its database can be restarted.
	RestartStore bool
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
	targets.NeedSecondTenant: {func(t *targets.Target, _ Abilities) bool { return t.Namespaces.OtherTenant != nil },
		"give the credentials of another tenant (namespaces.other_tenant)"},
	targets.NeedTestEnvironment: {func(t *targets.Target, _ Abilities) bool { return t.Namespaces.TestEnvironment != nil },
		"say how the test environment is reached (namespaces.test_environment)"},
	targets.NeedOtherOperation: {hasOtherOperation,
		"describe a second operation and an observer that counts its records (operations, observers[].operation)"},
	targets.NeedReplicas: {func(t *targets.Target, a Abilities) bool { return len(t.Replicas) > 0 || a.Replicas },
		"give the addresses of further instances (replicas)"},
	targets.NeedApprovals: {func(t *targets.Target, _ Abilities) bool { return t.Approve != nil && t.Held != nil },
		"say how an event is approved and how a held answer looks (approve, held)"},
	targets.NeedLesserCaller: {hasLesserCaller,
		"give a credential that may not use the second operation (callers.without-<operation>)"},
	targets.NeedRead: {func(t *targets.Target, _ Abilities) bool { return mainOperation(t).Read != "" },
		"say how a record is read (operations.<name>.read)"},
	targets.NeedDelete: {func(t *targets.Target, _ Abilities) bool { return mainOperation(t).Delete != "" },
		"say how a record is deleted (operations.<name>.delete)"},
	targets.NeedExhaust: {canExhaust,
		"say how a limit is reached, after which nothing more is created for a target record (exhaust; not together with values.target_record)"},
	targets.NeedBatch: {func(t *targets.Target, _ Abilities) bool { return t.Batch != nil },
		"say how many rows are written in one request (batch)"},
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
	targets.NeedJSONBody: {func(t *targets.Target, _ Abilities) bool {
		return mainOperation(t).Body != nil && mainOperation(t).Body.IsJSON()
	},
		"the operation has no JSON body; there is nothing to reorder"},
	targets.NeedKey: {func(t *targets.Target, _ Abilities) bool { return t.Profile.Key.In != targets.InNone },
		"the target takes no key"},
	targets.NeedOpaqueKey: {func(t *targets.Target, _ Abilities) bool { return t.Profile.Key.Template == "" },
		"the key is derived from the bundle (key.template), so one bundle cannot have two keys"},
	targets.NeedSlow: {func(t *targets.Target, _ Abilities) bool { return len(t.Switches.Slow) > 0 },
		"say how the target is made slow (switches.slow)"},
	targets.NeedLock: {func(t *targets.Target, _ Abilities) bool { return t.Lock > 0 },
		"say how long an in-flight lock lives (lock)"},
	targets.NeedFail: {func(t *targets.Target, _ Abilities) bool { return len(t.Switches.Fail) > 0 },
		"say how the target is made to fail (switches.fail)"},
	targets.NeedRefuse: {func(t *targets.Target, _ Abilities) bool { return len(t.Switches.Refuse) > 0 },
		"say how the target is made to refuse (switches.refuse)"},
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
	targets.NeedDatabaseProxy: true, targets.NeedDatabase: true, targets.NeedRestart: true, targets.NeedClock: true}

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
	var add []string
	for _, n := range c.Needs {
		if !needs[n].met(t, a) {
			add = append(add, needs[n].add)
		}
	}
	for _, name := range c.Operations {
		if t.Operations.Named(name) == nil {
			add = append(add, fmt.Sprintf("describe the operation %q (operations)", name))
		}
	}
	return strings.Join(add, "; ")
}
