package steps

// payloads are the steps that change what is sent, by whom, and under which form of a key.
func payloads() []row {
	return []row{
		verb("compare", "Sends the operation again under the same key, once for each change that its request allows: every member, spelling, query and path. What the target file or JSON says of a change is judged; the others are observed.",
			(*world).comparePayloads,
			say("the operation is sent again with the same key and one change after the other"),
		).costing(cost{requests: 20, records: 20}).withParts(),
		verb("documented_keys", "Sends the operation once with a key of each form that is documented: the longest, the shortest, and keys that hold every letter.",
			(*world).sendKeyForms, say("the operation is sent with a key of each documented form")).costing(cost{requests: 5, records: 5}),
		verb("once_allowed", "Sends the operation again under the key of an attempt that was turned away, waiting as the target asks.",
			(*world).retryTurnedAway, say(`the operation is sent again as "{as}" with the key of "{key_of}" once it may be`),
		).costing(cost{requests: rateTries - 1, records: rateTries - 1}),
		verb("relieve", "Lifts the limit of a target record again, and proves it by a send that creates a record.",
			(*world).relieve, say(`target record "{target_record}" can take more again`)).costing(cost{requests: 2, records: 1}),
		verb("revoke", "Revokes a credential, and proves it by a send that is answered 401 or 403. It is restored when the case has ended.",
			(*world).revoke, say("that caller is revoked")).costing(cost{requests: 3, records: 1}).touchingAll(),
		verb("delete_twice", "Deletes the record of an attempt under a key, sends the same delete again, and judges it as a replay.",
			(*world).deleteTwice, say(`the record of "{as}" is deleted, and again with the same key`)).costing(cost{requests: 2}),
	}
}
