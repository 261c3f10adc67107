@replay @must
Feature: Replay
  The same request under the same key again: the record exists once, and the caller learns the first outcome.

  @id:first-request @ref:https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#section-2.6
  Scenario: The first request creates exactly one record
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first"
    Then "first" is handled as a request of its own
    And exactly 1 record exists
    And "first" names the record that exists

  @id:replay-once @needs:key
  @ref:https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#section-2.6
  Scenario: The same request again
    Every case about a used key stands on this one.
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first"
    And the operation is sent again as "again" with the same key
    Then "first" is handled as a request of its own
    And "again" is handled as a replay of "first"
    And exactly 1 record exists

  @id:replay-three-times @after:replay-once @needs:key
  @ref:https://github.com/svix/svix-webhooks/issues/1454
  Scenario: The same request three times more
    Given the baseline was completed
    When the operation is sent again as "second" with the same key
    And the operation is sent again as "third" with the same key
    And the operation is sent again as "fourth" with the same key
    Then "second" is handled as a replay of "baseline"
    And "third" is handled as a replay of "baseline"
    And "fourth" is handled as a replay of "baseline"
    And exactly 1 record exists
    And every successful answer names the same record

  @id:different-key @needs:key @needs:opaque-key
  @ref:https://github.com/hookdeck/outpost/pull/670
  Scenario: A different key with the same payload creates a second record
    Two records are right: the key says that a second one is meant.
    Given the baseline was completed
    When the operation is sent as "second order" with a different key
    Then "second order" is handled as a request of its own
    And exactly 2 records exist

  @id:two-keys-in-turn @after:replay-once @needs:key
  @ref:https://github.com/matrix-org/synapse/issues/1481
  Scenario: Two keys in turn: A, B, A
    Given the baseline was completed
    And event "E205" is approved for target record "A18"
    When the operation is sent as "B" with its own key
      | event | E205 |
    And the operation is sent again as "A again" with the key of "baseline"
    Then "B" is handled as a request of its own
    And "A again" is handled as a replay of "baseline"
    And exactly 2 records exist

  @id:lost-answer[never-arrived] @after:replay-once @needs:key
  @ref:idempotency-keys-make-retries-safe
  Scenario: A timeout behind which the request never arrived
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first" and the connection is cut inside the body
    And the records are read as "before the retry"
    And the operation is sent again as "retry" with the same key until it settles
    Then "retry" is handled as a retry after a lost answer of "first"
    And exactly 1 record exists
    And "retry" names the record that exists

  @id:lost-answer[done] @after:replay-once @needs:key
  @ref:idempotency-keys-make-retries-safe
  Scenario: A timeout behind which the request was done and its answer lost
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first" and its answer is lost
    And the records are read as "before the retry"
    And the operation is sent again as "retry" with the same key until it settles
    Then "retry" is handled as a retry after a lost answer of "first"
    And exactly 1 record exists
    And "retry" names the record that exists

  @id:lost-answer[still-running] @after:replay-once @needs:key @needs:slow
  @ref:https://github.com/mastodon/mastodon/pull/21840
  Scenario: A timeout behind which the request was still running
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first" and the connection is cut right after the last byte
      | switch | slow |
    And the records are read as "before the retry"
    And nothing was counted yet as "before the retry"
    And the operation is sent again as "retry" with the same key until it settles
    And the slow attempt has had its time
    Then "retry" is handled as a retry after a lost answer of "first"
    And exactly 1 record exists
    And "retry" names the record that exists

  @id:lost-answer[hung-up] @after:replay-once @needs:key
  @ref:https://github.com/caura-ai/caura/pull/1629
  Scenario: The client hangs up right after its last byte and asks again at once
    The target may be anywhere in its work: before it, in the middle, or done.
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first" and the connection is cut right after the last byte
    And the records are read as "before the retry"
    And the operation is sent again as "retry" with the same key until it settles
    Then "retry" is handled as a retry after a lost answer of "first"
    And exactly 1 record exists
    And "retry" names the record that exists

  @id:replay-key-order @after:replay-once @needs:key @needs:json-body @should
  @ref:https://github.com/aws-powertools/powertools-lambda-python/issues/638
  Scenario: Insignificant JSON differences: member order and white space
    Given the baseline was completed
    When the operation is sent again as "reordered" with the same key and the members in another order
    Then "reordered" is handled as a replay of "baseline"
    And exactly 1 record exists

  @id:replay-other-operation @after:replay-once @needs:key @needs:other-operation
  @ref:https://github.com/getlago/lago-api/issues/5870
  Scenario: The other operation again under its key
    What one operation honours another may have forgotten.
    Given event "E204" is approved for target record "A18"
    When the other operation is sent as "note" with its own key
    And the other operation is sent again as "again" with the key of "note"
    Then "note" is handled as a request of its own
    And "again" is handled as a replay of "note"
    And exactly 1 record of the other operation exists

  @id:replay-large @after:replay-once @needs:key @needs:large
  @ref:https://github.com/gofiber/fiber/pull/4287 @ref:https://github.com/enkan/enkan/pull/139
  Scenario: The same request again where its answer is large
    An answer of 100 kB, which a store with a limit would leave out.
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first" with its own key and a body that makes a large answer
    And the operation is sent again as "again" with the same key and a body that makes a large answer
    Then "first" is handled as a request of its own
    And "again" is handled as a replay of "first"
    And exactly 1 record exists

  @id:replay-delete @after:replay-once @needs:key @needs:keyed-delete
  @ref:https://github.com/recommand/recommand-peppol/pull/72
  Scenario: A delete again under its key
    The record is gone, and that is what the first delete was answered with.
    Given the baseline was completed
    When the record of "baseline" is deleted, and again with the same key
    Then exactly 0 records exist

  @id:replay-after-delete @after:replay-once @needs:key @needs:delete @should
  @ref:https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html
  Scenario: The same request again after its record was deleted
    The first answer, or a refusal; a second record would bring back what somebody has deleted.
    Given the baseline was completed
    When the record of "baseline" is deleted
    And the operation is sent again as "again" with the same key
    Then "again" is handled as a replay of a record that is gone of "baseline"
    And exactly 0 records exist

  @id:replay-at-the-limit @after:replay-once @needs:key @needs:exhaust
  @ref:https://github.com/torkiv-labs/Nexuq/issues/468
  Scenario: The same request again after the limit was reached that it was within
    What succeeded is answered as it was, though it would be refused today.
    Given the baseline bundle
      | target record | A19 |
    And the baseline was completed
    When target record "A19" can take nothing more
    And the operation is sent again as "again" with the key of "baseline"
    Then "again" is handled as a replay of "baseline"
    And exactly 1 record exists

  @id:replay-on-another-instance @after:replay-once @needs:key @needs:replicas
  @ref:https://github.com/AnchorNet-Org/AnchorNet-Backend/issues/221
  Scenario: The same request again, to another instance of the service
    Given the baseline was completed
    When the operation is sent again as "elsewhere" with the same key to another instance
    Then "elsewhere" is handled as a replay of "baseline"
    And exactly 1 record exists

  @id:replay-after-restart @after:replay-once @needs:key @needs:restart
  @ref:https://github.com/AnchorNet-Org/AnchorNet-Backend/issues/221
  Scenario: The same request again after a graceful restart
    Given the baseline was completed
    When the target is restarted
    And the operation is sent again as "after the restart" with the same key
    Then "after the restart" is handled as a replay of "baseline"
    And exactly 1 record exists
