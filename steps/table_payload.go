package steps

// payloads are the steps that change what is sent, by whom, and under which form of a key.
func payloads() []row {
	return []row{
		verb("compare", "Sends the operation again under the same key, once for each change that its request allows: every member, spelling, query and path. What the target file or JSON says of a change is judged; the others are observed.",
			(*world).comparePayloads,
			say("the operation is sent again with the same key and one change after the other"),
		).costing(cost{requests: 20, records: 20}).withParts(),
	}
}
