@failure @must
Feature: Failure
  An attempt that wrote nothing must not stand in the way of the one that would.

  @id:invalid-then-corrected @needs:key @needs:invalid
  @ref:https://github.com/LerianStudio/midaz/issues/709
  Scenario: A refused body leaves nothing, and the corrected one may come under the same key
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "invalid" with its own key and an invalid body
    And the records are read as "after the refusal"
    And the operation is sent again as "corrected" with the key of "invalid" until it settles
    Then "invalid" is handled as an invalid request
    And "corrected" is handled as a retry after a failure of "invalid"
    And exactly 0 records exist, and 1 more if "corrected" rightly created its own

  @id:error-then-retry @needs:key @needs:fail
  @ref:https://github.com/LabsCrypt/remitlend/issues/1329
  Scenario: A server error, then the same request again
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "failing" with the target told to fail
    And the operation is sent again as "retry" with the key of "failing" until it settles
    Then "failing" is handled as a request that the target was told to refuse or to fail
    And "retry" is handled as a retry after a failure of "failing"
    And exactly 0 records exist, and 1 more if "retry" rightly created its own

  @id:timeout-then-retry @needs:key @needs:fail @needs:fail-status
  @ref:https://github.com/LabsCrypt/remitlend/issues/1329
  Scenario: The target gives up after it has begun (504), then the same request again
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "given up" with the target told to fail
      | status | 504 |
    And the operation is sent again as "retry" with the key of "given up" until it settles
    Then "given up" is handled as a request that the target was told to refuse or to fail
    And "retry" is handled as a retry after a failure of "given up"
    And exactly 0 records exist, and 1 more if "retry" rightly created its own

  @id:turned-away[429] @after:replay-once @needs:key @needs:refuse @needs:event
  @ref:https://docs.stripe.com/error-low-level
  Scenario: Refused for its rate, then the same request again
    The control shows that the target lets requests in again.
    Given event "E204" is approved for target record "A18"
    And event "E205" is approved for target record "A18"
    When the operation is sent as "refused" with the target told to refuse
    And the operation is sent as "control" with its own key
      | event | E205 |
    And the operation is sent again as "retry" with the key of "refused" once it may be
    Then "refused" is handled as a request that the target was told to refuse or to fail
    And "control" is handled as a request of its own
    And "retry" is handled as a retry after it was turned away of "refused"
    And exactly 1 record exists, and 1 more if "retry" rightly created its own

  @after:replay-once @needs:key @needs:refuse @needs:refuse-status @needs:event
  @ref:https://docs.stripe.com/error-low-level
  Scenario Outline: Refused for its credential (<status>), then the same request again
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "refused" with the target told to refuse
      | status | <status> |
    And the operation is sent again as "retry" with the key of "refused" once it may be
    Then "refused" is handled as a request that the target was told to refuse or to fail
    And "retry" is handled as a retry after it was turned away of "refused"
    And exactly 0 records exist, and 1 more if "retry" rightly created its own

    @id:turned-away[401]
    Examples:
      | status |
      | 401    |

    @id:turned-away[403]
    Examples:
      | status |
      | 403    |

  @id:refusal-repeated @after:replay-once @needs:key @needs:exhaust
  @ref:https://github.com/hyperledger-firefly/firefly/issues/1435
  Scenario: Refused for a business reason, and the same request again and again
    A definite refusal is an outcome: the repeats are refused as the first was, and neither run nor wait.
    Given the baseline bundle
      | target record | A20 |
    And the baseline was completed
    When target record "A20" can take nothing more
    And the operation is sent again as "again" with the key of "probe"
    And the operation is sent again as "once more" with the key of "probe"
    Then "again" is handled as a repeat of a refusal of "probe"
    And "once more" is handled as a repeat of a refusal of "probe"
    And exactly 1 record exists

  @id:refusal-outlived @after:replay-once @needs:key @needs:exhaust @needs:relieve
  @ref:https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#section-2.6
  Scenario: Refused for a business reason that holds no more, and the same request again
    A late duplicate of what was refused must not do what its sender has given up, where refusals are documented as stored.
    Given the baseline bundle
      | target record | A21 |
    And the baseline was completed
    When target record "A21" can take nothing more
    And target record "A21" can take more again
    And the operation is sent again as "late" with the key of "probe"
    Then "late" is handled as a retry after a refusal that holds no more of "probe"
    And exactly 0 records exist, and 1 more for each attempt that was answered with one
