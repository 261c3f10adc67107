@isolation @must
Feature: Isolation
  A key is no credential: who may not send the request may not have its answer either.

  @id:unauthorized-replay @after:replay-once @needs:key @needs:unauthorized-caller
  @ref:https://github.com/C-Address-Onboarding-Bridge/C-Address-Onboarding-Bridge-Backend/issues/379
  Scenario: A caller without the authorization sends a used key
    Given the baseline was completed
    When the operation is sent as "intruder" with the same key by a caller that may not use it
    Then "intruder" is handled as an unauthorized request
    And "intruder" shows nothing of "baseline"
    And exactly 1 record exists

  @id:another-caller @after:replay-once @needs:key @needs:another-caller
  @ref:https://github.com/novuhq/novu/pull/9685
  Scenario: Another caller of the same tenant sends a used key
    Whether the callers of one tenant share their keys is for the profile to say; where it does not, what came is noted.
    Given the baseline was completed
    When the operation is sent as "colleague" with the same key by another caller of the same tenant
    Then "colleague" is handled as a request of another caller under a used key
    And exactly 1 record exists, and 1 more if "colleague" rightly created its own

  @id:revoked-caller @after:replay-once @needs:key @needs:revocation
  @ref:https://github.com/C-Address-Onboarding-Bridge/C-Address-Onboarding-Bridge-Backend/issues/379
  Scenario: A caller whose credential was revoked sends its key again
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first" with its own key by a caller that can be revoked
    And that caller is revoked
    And the operation is sent as "after" with the same key by a caller that can be revoked
    Then "first" is handled as a request of its own
    And "after" is handled as an unauthorized request
    And "after" shows nothing of "first"
    And exactly 1 record exists
