@key
Feature: Key
  What the target does with a request whose key is not there.

  @id:missing-key @must @needs:key
  @ref:https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#section-2.7
  Scenario: No key is sent
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "keyless" with no key
    Then "keyless" is handled as a request without a key
    And exactly 0 records exist, and 1 more for each attempt that was answered with one

  @id:empty-key @must @needs:key
  @ref:https://github.com/matrix-org/synapse/issues/9340
  Scenario: An empty key is no key
    Given event "E204" is approved for target record "A18"
    And event "E205" is approved for target record "A18"
    When the operation is sent as "first empty" with an empty key
    And the operation is sent as "second empty" with an empty key
      | event            | E205 |
      | payload revision | P4   |
    Then "first empty" is handled as a request with an empty key
    And "second empty" is handled as a request with an empty key
    And exactly 0 records exist, and 1 more for each attempt that was answered with one

  @id:key-length[255] @should @needs:key @needs:opaque-key
  @ref:https://docs.stripe.com/api/idempotent_requests
  Scenario: A key of 255 characters is a key like any other, unless it is refused
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first" with a key of 255 characters
    And the operation is sent again as "again" with the key of "first"
    Then "first" is handled as a request with a key that the target may refuse
    And exactly 0 records exist, and 1 more if "first" rightly created its own

  @id:key-length[256] @should @needs:key @needs:opaque-key
  @ref:https://github.com/triggerdotdev/trigger.dev/pull/3560
  Scenario: A key of 256 characters is accepted or refused, and never a server error
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first" with a key of 256 characters
    And the operation is sent again as "again" with the key of "first"
    Then "first" is handled as a request with a key that the target may refuse
    And exactly 0 records exist, and 1 more if "first" rightly created its own

  @id:key-length[5000] @should @needs:key @needs:opaque-key
  @ref:https://github.com/triggerdotdev/trigger.dev/pull/3560
  Scenario: A key of 5000 characters is accepted or refused, and never a server error
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first" with a key of 5000 characters
    And the operation is sent again as "again" with the key of "first"
    Then "first" is handled as a request with a key that the target may refuse
    And exactly 0 records exist, and 1 more if "first" rightly created its own
