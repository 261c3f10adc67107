package steps

// webhooks are the steps in which the target receives events.
func webhooks() []row {
	one := cost{requests: 1, records: 1}
	return []row{
		verb("deliver", "Delivers an event to the target's receiver once; further arguments go into a table below the sentence.",
			(*world).deliverEvent,
			say(`the event is delivered as "{as}"`),
			say(`the event is delivered again as "{as}"`, "id", "same"),
			say(`the event is delivered again as "{as}" with another payload`, "id", "same", "payload_revision", "P4"),
			say(`the event is delivered again as "{as}" to {to}`, "id", "same"),
			say(`the event is delivered again as "{as}" in {namespace}`, "id", "same"),
			say(`the event is delivered as "{as}" and {fault}`),
			say(`the event is delivered as "{as}" with {switch}`),
			say(`another event "{event}" is delivered as "{as}"`, "id", "own"),
			say(`another event for the same fact is delivered as "{as}"`, "id", "own"),
		).costing(one),
		verb("forge", "Delivers the event with the signature of somebody who does not know the secret.", (*world).forge,
			say(`a forgery of the event arrives as "{as}"`)).costing(one),
		verb("not_acknowledged", "Expects that a forged delivery was not acknowledged.", (*world).expectTurnedAway,
			say(`"{as}" is not acknowledged`)),
		verb("redeliver", "Delivers the event again until it is acknowledged, within the declared bound.", (*world).redeliver,
			say(`the event is delivered again as "{as}" until it is acknowledged`)).costing(cost{requests: 5, records: 1}),
		verb("every_try", "Delivers the event again and again, until it was delivered as often as its sender does at most.", (*world).everyTry,
			say("the event is delivered as often as its sender does at most")).costing(cost{requests: 10}),
		verb("give_up", "Delivers an event to a slow target and gives up before the acknowledgement comes.", (*world).giveUp,
			say(`the event is delivered as "{as}" and the acknowledgement comes too late`)).costing(one),
		verb("each_part", "Delivers, for each part of a compound event id, an event that differs from another in that part alone.",
			(*world).eachPart, say(`for each part of the event id an event is delivered that shares all others with "{first}"`),
		).costing(cost{requests: 4, records: 4}),
		verb("acknowledged", "Expects that a delivery was acknowledged, as the target file says.", (*world).expectAcknowledged,
			say(`"{as}" is acknowledged`), say("every delivery is acknowledged", "as", "*")),
		verb("effects", "Expects a number of records made by events, counted by the observers.", (*world).expectEffects,
			say("exactly {count} effect(s) exist(s)"),
			say("exactly {count} effect(s) exist(s) in {namespace}"),
			say("one effect exists for each event"),
		).costing(cost{readings: 1}),
		verb("one_fact", "Expects one effect of two events for one fact, where the target file says what a fact is; else the number is noted.",
			(*world).oneFact, say(`"{first}" and "{second}" are one effect where they tell of one fact`)).costing(cost{readings: 1}),
	}
}
