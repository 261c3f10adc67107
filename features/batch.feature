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
