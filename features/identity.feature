@identity @must @ref:choose-an-idempotency-key-for-internal-crm-tasks
Feature: Identity collisions
  Six collisions of one baseline (production, tenant T1, event E204, account A18, payload revision P3, completed as a
  record D77). An idempotency key identifies the intended operation: the same intent again must not write again, and
  another intent must not be collapsed into it.

  Background:
    Given the baseline bundle
      | environment      | production |
      | tenant           | T1         |
      | event            | E204       |
      | target record    | A18        |
      | payload revision | P3         |

  @id:K1 @after:replay-once @needs:key
  Scenario: The same bundle arrives again after a response timeout
    The first answer is never read. A reading before the retry says which of the three states it was: never arrived,
    done, or still running.
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first" and its answer is lost
    And the records are read as "before the retry"
    And the operation is sent again as "retry" with the same key until it settles
    Then "retry" is handled as a retry after a lost answer of "first"
    And exactly 1 record exists
    And "retry" names the record that exists

  @id:K1-two-workers @after:replay-once @needs:key
  @ref:https://github.com/square1-io/laravel-idempotency/issues/1
  Scenario: Two workers send K1 at the same moment, before the record exists
    When 2 workers send the operation at the same moment with the same key
    Then every send is handled as a double send
    And exactly 1 record exists
    And every successful answer names the same record
    And at least two of the sends overlapped

  @id:K2[own-key] @needs:target-record
  Scenario: The same event asks for another target record under its own key
    A unique key is not permission: where the target knows approvals, the request is held.
    Given the baseline was completed
    When the operation is sent as "other record" with its own key
      | target record | A81 |
    Then "other record" is handled as an unapproved request
    And exactly 1 record exists, and 1 more if "other record" rightly created its own
    And "other record" shows nothing of "baseline"

  @id:K2[baseline-key] @after:replay-once @needs:key @needs:target-record
  Scenario: The same event asks for another target record under the baseline's key
    Given the baseline was completed
    When the operation is sent as "other record" with the baseline's key
      | target record | A81 |
    Then "other record" is handled as another identity under a used key
    And exactly 1 record exists, and 1 more if "other record" rightly created its own
    And "other record" shows nothing of "baseline"

  @id:K3[own-key] @needs:other-operation @needs:read
  Scenario: Another operation on the same event and record under its own key
    Given the baseline was completed
    When the other operation is sent as "note" with its own key
    Then "note" is handled as a request of its own
    And exactly 1 record of the other operation exists
    And exactly 1 record exists
    And the record of "baseline" is unchanged

  @id:K3[baseline-key] @after:replay-once @needs:key @needs:other-operation @needs:read
  @ref:https://github.com/ArcadeData/arcadedb/issues/5023
  Scenario: Another operation on the same event and record under the baseline's key
    Given the baseline was completed
    When the other operation is sent as "note" with the baseline's key
    Then "note" is handled as another operation under a used key
    And exactly 0 records of the other operation exist, and 1 more if "note" rightly created its own
    And exactly 1 record exists
    And the record of "baseline" is unchanged
    And "note" shows nothing of "baseline"

  @id:K3[without-authorization] @needs:other-operation @needs:read @needs:lesser-caller
  Scenario: Another operation by a caller that lacks its authorization
    Given the baseline was completed
    When the other operation is sent as "note" with its own key by a caller without its authorization
    Then "note" is handled as an unauthorized request
    And exactly 0 records of the other operation exist
    And exactly 1 record exists
    And the record of "baseline" is unchanged

  @id:K4 @after:replay-once @needs:key @needs:read @needs:payload
  @ref:https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#section-2.7
  Scenario: The same bundle arrives with another payload revision
    The first revision is not overwritten, and no second record is made behind the caller's back.
    Given the baseline was completed
    When the operation is sent as "revised" with the baseline's key
      | payload revision | P4 |
    Then "revised" is handled as a mismatch of "baseline"
    And exactly 1 record exists, and 1 more if "revised" rightly created its own
    And the record of "baseline" is unchanged
    And "revised" shows nothing of "baseline"

  @id:K5 @needs:event
  Scenario: Another event independently asks for a later review, in the same words
    Two records are right: a target that collapses them loses one.
    Given the baseline was completed
    And event "E205" is approved for target record "A18"
    When the operation is sent as "later review" with its own key
      | event | E205 |
    Then "later review" is handled as a request of its own
    And exactly 2 records exist
    And "later review" shows nothing of "baseline"

  @id:K6[other-tenant] @needs:key @needs:second-tenant
  @ref:https://github.com/C-Address-Onboarding-Bridge/C-Address-Onboarding-Bridge-Backend/issues/379
  Scenario: Identical ids and the same key in another tenant
    Given the baseline was completed
    And event "E204" is approved in the other tenant for target record "A18"
    When the operation is sent as "other tenant" with the baseline's key in the other tenant
    Then "other tenant" is handled as a request of its own in its namespace
    And exactly 1 record exists in the other tenant
    And exactly 1 record exists
    And "other tenant" shows nothing of "baseline"

  @id:K6[test-environment] @needs:key @needs:test-environment
  @ref:https://github.com/novuhq/novu/pull/9685
  Scenario: Identical ids and the same key in the test environment
    Given the baseline was completed
    And event "E204" is approved in the test environment for target record "A18"
    When the operation is sent as "test environment" with the baseline's key in the test environment
    Then "test environment" is handled as a request of its own in its namespace
    And exactly 1 record exists in the test environment
    And exactly 1 record exists
    And "test environment" shows nothing of "baseline"

  @id:K6[other-region] @needs:key @needs:other-region
  @ref:https://docs.adyen.com/development-resources/api-idempotency
  Scenario: Identical ids and the same key in another region
    Given the baseline was completed
    And event "E204" is approved in the other region for target record "A18"
    When the operation is sent as "other region" with the baseline's key in the other region
    Then "other region" is handled as a request of its own in its namespace
    And exactly 1 record exists in the other region
    And exactly 1 record exists
    And "other region" shows nothing of "baseline"

  @id:K6[other-partition] @needs:key @needs:other-partition
  @ref:https://github.com/formancehq/ledger
  Scenario: Identical ids and the same key in another part of the account
    Given the baseline was completed
    And event "E204" is approved in the other part of the account for target record "A18"
    When the operation is sent as "other part" with the baseline's key in the other part of the account
    Then "other part" is handled as a request of its own in its namespace
    And exactly 1 record exists in the other part of the account
    And exactly 1 record exists
    And "other part" shows nothing of "baseline"
