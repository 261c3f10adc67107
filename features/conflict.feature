@conflict
Feature: Conflict
  One key, another request. What the answer must be is for the profile to say; that the first record stays as it is and
  that nothing is written behind the caller's back is not.

  @id:conflict-material @must @after:replay-once @needs:key @needs:material @needs:read
  @ref:https://github.com/LerianStudio/midaz-sdk-golang/pull/236
  Scenario: A material difference, one member at a time
    Given the baseline was completed
    When the operation is sent again with the same key and each material member changed in turn
    Then exactly 1 record exists
    And the record of "baseline" is unchanged

  @id:conflict-then-replay @must @after:replay-once @needs:key @needs:payload
  @ref:idempotency-keys-make-retries-safe
  Scenario: A conflict leaves the original replayable
    Given the baseline was completed
    When the operation is sent as "revised" with the same key
      | payload revision | P4 |
    And the operation is sent again as "original" with the same key
    Then "original" is handled as a replay of "baseline"
    And exactly 1 record exists

  @id:key-letter-case @should @after:replay-once @needs:key @needs:opaque-key
  @ref:https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
  Scenario: Keys that differ in letter case are different keys
    Two records are right: a key is an opaque text.
    Given the baseline was completed
    When the operation is sent as "other case" with the same key in the other letter case
    Then "other case" is handled as a request of its own
    And exactly 2 records exist
