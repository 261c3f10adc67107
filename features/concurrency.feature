@concurrency @must
Feature: Concurrency
  Two workers, one key, the same moment. A look-up followed by an unprotected insert lets both through.

  @id:double-send @after:replay-once @needs:key
  @ref:https://github.com/square1-io/laravel-idempotency/issues/1
  Scenario: A double send, ten at once
    Given event "E204" is approved for target record "A18"
    When 10 workers send the operation at the same moment with the same key
    Then every send is handled as a double send
    And exactly 1 record exists
    And every successful answer names the same record
    And at least two of the sends overlapped

  @id:distinct-keys-together @needs:key @needs:opaque-key
  @ref:https://github.com/idempot-dev/idempot-js/issues/181
  Scenario: Different keys at the same moment
    As many records as keys are right: unrelated keys must not get in each other's way.
    Given event "E204" is approved for target record "A18"
    When 5 workers send the operation at the same moment with a key each
    Then every send is handled as a request of its own
    And exactly 5 records exist
    And at least two of the sends overlapped

  @id:second-while-running @after:replay-once @needs:key @needs:slow
  @ref:https://github.com/mastodon/mastodon/pull/37879
  Scenario: A second send while the first provably still runs
    When the operation is sent as "first", and as "second" with the same key while that is still running
    Then "first" is handled as a request of its own
    And "second" is handled as a retry while the first is running of "first"
    And exactly 1 record exists
