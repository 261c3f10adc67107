package steps

import "github.com/idempotency-conformance/idemcheck/scenarios"

// moments are the phrases for the moments to which time is moved.
func moments() []scenarios.Choice {
	return []scenarios.Choice{
		{Phrase: "just inside the retention", Value: inside},
		{Phrase: "just outside the retention", Value: outside},
		{Phrase: "the end of the redelivery", Value: redelivery},
		{Phrase: "the end of the memory", Value: remembered},
		{Phrase: "just inside the content filter's window", Value: windowInside},
		{Phrase: "just outside the content filter's window", Value: windowOutside},
	}
}

// expiries are the steps about the time for which a key is kept.
func expiries() []row {
	return []row{
		verb("move_clock", "Moves the target's time, as its file says, to just before or just after a key's retention or a content filter's window ends, or to just before the sender of an event gives up or its receiver forgets it; a reading must show that it moved.",
			(*world).moveClock, say(`the clock is moved to {moment} of "{of}"`),
		).costing(cost{requests: 3}).touchingAll(),
		verb("clock_moved", "Needs proof that the clock moved: where the target's time cannot be read, its key must behave as expired a little later.",
			(*world).clockProven, say("the clock has provably moved"),
		).costing(cost{requests: 2, records: 1}),
		verb("retry_schedule", "Expects that every attempt of the retry schedule in the target file comes while its key is still kept; nothing is sent.",
			(*world).judgeSchedule, say("every attempt of the declared retry schedule falls inside the retention")),
	}
}
