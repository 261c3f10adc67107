@key
Feature: Key
  What the target does with a key that is not there, or that is not what most keys are.

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

  @id:key-as-documented @should @after:replay-once @needs:key @needs:opaque-key @needs:key-form
  @ref:https://docs.stripe.com/api/idempotent_requests
  Scenario: Keys of the documented lengths and letters are taken
    The longest that is documented, the shortest where that is long enough to be new, and keys that together hold every
    documented letter. What lies beyond is in the cases about odd keys.
    Given event "E204" is approved for target record "A18"
    When the operation is sent with a key of each documented form
    Then exactly 0 records exist, and 1 more for each attempt that was answered with one

  @id:key-trailing-space @should @after:replay-once @needs:key @needs:opaque-key @needs:spaced-key
  @ref:https://www.rfc-editor.org/rfc/rfc9651#section-3.3.3
  Scenario: A key with a space at its end is another key, unless it is refused
    Two records are right: a key is an opaque text.
    Given the baseline was completed
    When the operation is sent as "spaced" with the same key with a space at its end
    Then "spaced" is handled as a request with a key that the target may refuse
    And exactly 1 record exists, and 1 more if "spaced" rightly created its own

  @id:key-beyond-ascii @should @after:replay-once @needs:key @needs:opaque-key
  @ref:https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#section-2.1
  Scenario: Keys that differ in a letter beyond ASCII are different keys, unless they are refused
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "é" with a key with a letter beyond ASCII
    And the operation is sent as "ü" with the same key with another letter beyond ASCII
    Then "é" is handled as a request with a key that the target may refuse
    And "ü" is handled as a request with a key that the target may refuse
    And exactly 0 records exist, and 1 more for each attempt that was answered with one

  @id:key-two-lines @should @after:replay-once @needs:key @needs:opaque-key @needs:header-key
  @ref:https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#section-2.1
  Scenario: Two keys in two header lines are refused, or stand for one request
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first" with two keys in two header lines
    And the operation is sent again as "again" with two keys in two header lines
    Then "first" is handled as a request with a key that the target may refuse
    And exactly 0 records exist, and 1 more if "first" rightly created its own

  @id:key-quoting @should @after:replay-once @needs:key @needs:opaque-key @needs:header-key
  @ref:https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#section-2.1
  Scenario: The key in quotes and bare
    The same key, another key, or none that is taken: which of the three is noted.
    Given the baseline was completed
    When the operation is sent again as "other form" with the same key in its other form
    Then "other form" is handled as a repeat with its key in another form
    And exactly 1 record exists, and 1 more if "other form" rightly created its own
