@concurrency @must
Feature: Concurrency
  Two workers, one key, the same moment. A look-up followed by an unprotected insert lets both through, and the window may
  be open for microseconds: sends that arrive milliseconds apart prove nothing. Each round has its own key and marker.

  @id:double-send[2] @after:replay-once @needs:key
  @ref:https://github.com/square1-io/laravel-idempotency/issues/1
  Scenario: A double send
    When 2 workers send the operation at the same moment with the same key
    And the operation is sent again as "afterwards" with the same key until it settles
    Then "afterwards" is handled as a replay
    And exactly 1 record exists
    And at least two of the sends overlapped

  @id:double-send[10] @after:replay-once @needs:key
  @ref:https://github.com/square1-io/laravel-idempotency/issues/1
  Scenario: A double send, ten at once
    When 10 workers send the operation at the same moment with the same key
    And the operation is sent again as "afterwards" with the same key until it settles
    Then "afterwards" is handled as a replay
    And exactly 1 record exists
    And at least two of the sends overlapped

  @id:double-send[50] @after:replay-once @needs:key
  @ref:https://github.com/idempot-dev/idempot-js/issues/181
  Scenario: A double send, fifty at once
    Where the network jitters, only more connections bring two sends close together.
    When 50 workers send the operation at the same moment with the same key
    And the operation is sent again as "afterwards" with the same key until it settles
    Then "afterwards" is handled as a replay
    And exactly 1 record exists
    And at least two of the sends overlapped

  @id:double-send[other-technique] @after:replay-once @needs:key
  @ref:https://github.com/square1-io/laravel-idempotency/issues/1
  Scenario: A double send, released in another way
    A target that decides before it has read the body meets the sends at another byte.
    When 10 workers send the operation at the same moment with the same key, by the other technique
    And the operation is sent again as "afterwards" with the same key until it settles
    Then "afterwards" is handled as a replay
    And exactly 1 record exists
    And at least two of the sends overlapped

  @id:double-send-two-payloads @after:replay-once @needs:key @needs:payload
  @ref:https://github.com/novuhq/novu/pull/4531
  Scenario: One key, two payloads, at the same moment
    When 10 workers send the operation at the same moment with the same key, every second one with another payload
    Then exactly 1 record exists
    And at least two of the sends overlapped

  @id:double-send-two-tenants @after:replay-once @needs:key @needs:second-tenant
  @ref:https://github.com/openmeterio/openmeter/pull/126
  Scenario: One key in two tenants, at the same moment
    When 10 workers send the operation at the same moment with the same key, every second one in the other tenant
    Then exactly 1 record exists
    And exactly 1 record exists in the other tenant
    And at least two of the sends overlapped

  @id:double-send-two-operations @after:replay-once @needs:key @needs:other-operation
  @ref:https://github.com/ArcadeData/arcadedb/issues/5023
  Scenario: One key on two operations, at the same moment
    When 10 workers send the operation at the same moment with the same key, every second one on the other operation
    Then at least two of the sends overlapped

  @id:double-send-across-instances @after:replay-once @needs:key @needs:replicas
  @ref:https://github.com/AnchorNet-Org/AnchorNet-Backend/issues/221
  Scenario: A double send spread over two instances of the service
    When 10 workers send the operation at the same moment with the same key, every second one to another instance
    And the operation is sent again as "afterwards" with the same key until it settles
    Then "afterwards" is handled as a replay
    And exactly 1 record exists
    And at least two of the sends overlapped

  @id:distinct-keys-together @needs:key @needs:opaque-key
  @ref:https://github.com/idempot-dev/idempot-js/issues/181
  Scenario: Different keys at the same moment
    As many records as keys are right: unrelated keys must not get in each other's way.
    When 5 workers send the operation at the same moment with a key each
    Then exactly 5 records exist
    And at least two of the sends overlapped

  @id:second-while-running @after:replay-once @needs:key @needs:slow
  @ref:https://github.com/mastodon/mastodon/pull/37879
  Scenario: A second send while the first provably still runs
    When the operation is sent as "first", and as "second" with the same key while that is still running
    And the operation is sent again as "afterwards" with the same key until it settles
    Then "first" is handled as a request of its own
    And "second" is handled as a retry while the first is running of "first"
    And "afterwards" is handled as a replay of "first"
    And exactly 1 record exists

  @id:conflict-while-running @after:replay-once @needs:key @needs:slow @needs:payload
  @ref:https://github.com/novuhq/novu/pull/4531
  Scenario: Another payload while the first provably still runs
    When the operation is sent as "first", and as "second" with the same key and another payload while that is still running
    And the operation is sent again as "afterwards" with the same key until it settles
    Then "first" is handled as a request of its own
    And "second" is handled as a mismatch while the first is running of "first"
    And "afterwards" is handled as a replay of "first"
    And exactly 1 record exists

  @id:second-while-open @after:replay-once @needs:key
  @ref:https://github.com/mastodon/mastodon/pull/37879
  Scenario: A second send while the body of the first is still on its way
    When the operation is sent as "first" up to its last byte, and as "second" with the same key meanwhile
    And the operation is sent again as "afterwards" with the same key until it settles
    Then "first" is handled as a double send
    And "second" is handled as a double send
    And "afterwards" is handled as a replay
    And exactly 1 record exists
    And every successful answer names the same record

  @id:slow-outlives-lock @after:replay-once @needs:key @needs:slow @needs:lock
  @ref:https://github.com/mastodon/mastodon/pull/21840
  Scenario: A slow first request that outlives the lock
    When the operation is sent as "first" for longer than the lock lives, and as "second" with the same key when the lock would have ended
    And the operation is sent again as "afterwards" with the same key until it settles
    Then "first" is handled as a request of its own
    And "second" is handled as a retry while the first is running of "first"
    And "afterwards" is handled as a replay of "first"
    And exactly 1 record exists
