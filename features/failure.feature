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
