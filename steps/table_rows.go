package steps

// rowSteps are the steps about the rows of small batches.
func rowSteps() []row {
	return []row{
		verb("rows", "Sends a batch of five rows once, under one key.", (*world).sendRows,
			say(`a small batch is sent as "{as}" with {switch}`),
			say(`a small batch with {with} is sent as "{as}"`),
			say(`the small batch is sent again as "{as}" with the same key`, "key", "same"),
			say(`the small batch with {with} is sent again as "{as}" with the same key`, "key", "same"),
		).costing(cost{requests: 2, records: smallBatch}),
		verb("bad_row", "Expects of a batch with a bad row that none of its rows exists, or every good one: as the target file declares.",
			(*world).expectBadRow, say(`of "{as}" either nothing exists, or every good row`)).costing(cost{readings: 1}),
		verb("no_more", "Expects as many records as were there before.", (*world).expectNoMore,
			say("no record was added")).costing(cost{readings: 1}),
		verb("mend", "Sends what a batch with a bad row has not written, corrected and under a new key.", (*world).mend,
			say(`what is missing is sent, corrected, as "{as}" with its own key`)).costing(cost{requests: 2, records: smallBatch}),
		verb("row_records", "Expects one record for each row of a small batch.", (*world).expectRowRecords,
			say("one record for each row of the small batch exists"),
			say(`one record for each row of the small batch exists, if "{if}" rightly created them`)).costing(cost{readings: 1}),
		verb("row_twice", "Notes how many records a batch made of a row that it held twice; expects the others.", (*world).observeRowTwice,
			say(`of "{as}" every row exists once, or the row as often as it was there`)).costing(cost{readings: 1}),
	}
}
