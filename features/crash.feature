@crash @must @needs:crash @needs:restart
Feature: Crash
  The target dies in the middle of a create and comes back on the same data. Right is exactly one record after the retry
  has settled, whichever way: a replay, a second execution, or an in-progress answer until the dead owner's lock ends.

  @id:crash-while-working @after:replay-once @needs:key @needs:slow
  @ref:https://github.com/VilledeMontreal/express-idempotency/issues/32
  Scenario: Killed while it works; the lock of the dead owner is released
    When the operation is sent as "killed" and the target is killed while it works on it
    And the records are read as "after the restart"
    And the operation is sent again as "retry" with the same key until it settles
    Then "retry" is handled as a retry after a lost answer of "killed"
    And exactly 1 record exists
    And "retry" names the record that exists

  @id:crash-swept @after:replay-once @needs:key
  @ref:https://github.com/mastodon/mastodon/pull/21840
  Scenario: Killed at moments swept over the request, restarted, and asked again
    When the target is killed at moments swept over the request, restarted, and asked again
    Then exactly 1 record exists

  @id:crash-after-answer @after:replay-once @needs:key
  @ref:https://github.com/AnchorNet-Org/AnchorNet-Backend/issues/221
  Scenario: Killed after its answer, restarted, and asked again
    Given the baseline was completed
    When the target is killed and restarted
    And the operation is sent again as "retry" with the same key until it settles
    Then "retry" is handled as a replay of "baseline"
    And exactly 1 record exists
