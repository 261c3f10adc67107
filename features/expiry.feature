@expiry
Feature: Expiry
  A key is kept for a time. Until then a retry must find its record; what a reuse is afterwards is for the profile to say.
  Time is moved as the target file says, and a move counts only when a reading shows it.

  @id:expiry-inside @must @after:replay-once @needs:key @needs:clock @needs:retention-min
  @ref:https://docs.stripe.com/api/idempotent_requests
  Scenario: A replay just before the retention ends
    Given the baseline was completed
    When the clock is moved to just inside the retention of "baseline"
    And the operation is sent again as "again" with the same key
    Then "again" is handled as a replay of "baseline"
    And exactly 1 record exists
    And the clock has provably moved

  @id:expiry-outside @must @after:replay-once @needs:key @needs:clock @needs:retention-max
  @ref:https://github.com/namuh-eng/opensend/issues/425
  Scenario: The same request just after the retention has ended
    A new record, a refusal or still a replay: what is documented. Two records are right where it is a new one.
    Given the baseline was completed
    When the clock is moved to just outside the retention of "baseline"
    And the operation is sent again as "late" with the same key
    Then "late" is handled as a reuse after the retention of "baseline"
    And exactly 1 record exists, and 1 more if "late" rightly created its own

  @id:expiry-late-sender @must @after:replay-once @needs:key @needs:clock @needs:retention-min @needs:retention-max
  @ref:idempotency-keys-make-retries-safe
  Scenario: A sender whose retries outlive the key
    One retry comes in time and one too late. A key that has expired is no permission: a second record is reported as one
    that comes from expiry.
    Given the baseline was completed
    When the clock is moved to just inside the retention of "baseline"
    And the operation is sent again as "in time" with the same key
    And the clock is moved to just outside the retention of "baseline"
    And the operation is sent again as "too late" with the same key
    Then "in time" is handled as a replay of "baseline"
    And "too late" is handled as a reuse after the retention of "baseline"
    And exactly 1 record exists, and 1 more if "too late" rightly created its own

  @id:expiry-conflict @must @after:replay-once @needs:key @needs:clock @needs:retention-max @needs:payload
  @ref:https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#section-2.3
  Scenario: Another payload under the key, just after the retention has ended
    Given the baseline was completed
    When the clock is moved to just outside the retention of "baseline"
    And the operation is sent as "revised" with the same key
      | payload revision | P4 |
    Then "revised" is handled as another payload after the retention of "baseline"
    And exactly 1 record exists, and 1 more if "revised" rightly created its own

  @id:expired-then-replay @must @after:replay-once @needs:key @needs:clock @needs:retention-max @needs:expired-new-record
  @ref:https://github.com/namuh-eng/opensend/issues/425
  Scenario: A key that was used anew after it had expired replays the new record
    Given the baseline was completed
    When the clock is moved to just outside the retention of "baseline"
    And the operation is sent again as "late" with the same key
    And the operation is sent again as "again" with the same key
    Then "late" is handled as a reuse after the retention of "baseline"
    And "again" is handled as a replay of "late"
    And exactly 1 record exists, and 1 more if "late" rightly created its own

  @id:retry-schedule @should @needs:retry @needs:retention
  @ref:idempotency-keys-make-retries-safe
  Scenario: A retry schedule that stays within the retention
    The delays in the target file are held against the documented retention; nothing is sent.
    Then every attempt of the declared retry schedule falls inside the retention
