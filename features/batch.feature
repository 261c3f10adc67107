@batch @must @needs:batch @needs:key
Feature: Batch
  Many rows in one request, under one key: each row becomes one record, however often the batch is sent.

  @id:batch-twice @after:replay-once
  @ref:https://github.com/MystenLabs/MemWal/issues/940
  Scenario: The same batch twice
    When the batch is sent as "batch"
    And the batch is sent again as "again" with the same key
    Then one record for each row of the batch exists

  @id:batch-killed @after:replay-once @needs:kill-points
  @ref:why-idempotency-keys-matter-when-you-push-registrations-into-a-crm
  Scenario: Stopped at row 173 of 200, and sent again
    Whether the rows are one transaction or many: after the batch was sent again there is one record for each, not 373.
    When the target is killed while row 173 of the batch is written, restarted, and asked again
    Then one record for each row of the batch exists after it

  @id:batch-bad-row @after:replay-once @needs:batch-invalid
  @ref:https://github.com/getlago/lago-api/pull/4772
  Scenario: One bad row, the same batch again, and what is missing
    All rows or none, or each row by itself: either is right, and whichever it is must be left alone by a second send. What
    is missing then comes under a key of its own.
    When a small batch with a bad row is sent as "bad"
    Then of "bad" either nothing exists, or every good row
    When the small batch with a bad row is sent again as "bad again" with the same key
    Then no record was added
    When what is missing is sent, corrected, as "corrected" with its own key
    Then one record for each row of the small batch exists

  @id:batch-row-twice @after:replay-once
  @ref:https://github.com/getlago/lago-api/pull/4772
  Scenario: The same row twice in one batch
    Whether that is one record or two is only noted. The same batch again adds none.
    When a small batch with one row twice is sent as "twice"
    Then of "twice" every row exists once, or the row as often as it was there
    When the small batch with one row twice is sent again as "again" with the same key
    Then no record was added

  @id:batch-error-then-retry @after:replay-once @needs:fail
  @ref:https://github.com/triggerdotdev/trigger.dev/issues/4819
  Scenario: A server error, then the same batch again
    A key whose first batch has failed is kept or let go as that of a single write is.
    When a small batch is sent as "failing" with the target told to fail
    And the small batch is sent again as "retry" with the same key
    Then "failing" is handled as a request that the target was told to refuse or to fail
    And "retry" is handled as a retry after a failure of "failing"
    And one record for each row of the small batch exists, if "retry" rightly created them
