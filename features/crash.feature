@crash @must
Feature: Crash
  The target dies in the middle of a create and comes back on the same data. Right is exactly one record after the retry
  has settled, whichever way: a replay, a second execution, or an in-progress answer until the dead owner's lock ends.

  @id:crash-disconnect @after:replay-once @needs:key @needs:crash-points
  @ref:https://github.com/caura-ai/caura/pull/1629
  Scenario: The client hangs up at every point between request and answer
    A handler that ends with its client stops between two steps, without any crash. Nothing is restarted.
    When the client hangs up at every crash point and asks again
    Then exactly 1 record exists after each

  @id:crash @after:replay-once @needs:key @needs:kill-points
  @ref:https://github.com/hyperledger-firefly/firefly/issues/1219 @ref:https://github.com/VilledeMontreal/express-idempotency/issues/32
  Scenario: Killed at every point between request and answer
    When the target is killed at every crash point, restarted, and asked again
    Then exactly 1 record exists after each

  @id:crash-host @after:replay-once @needs:key @needs:kill-points @needs:database-proxy
  @ref:https://www.postgresql.org/docs/current/runtime-config-client.html#GUC-IDLE-IN-TRANSACTION-SESSION-TIMEOUT
  Scenario: The host dies at every point, and its database does not hear of it
    A retry that waits for the dead owner's transaction is a warning: it is for the database to end that.
    When the target is killed at every crash point without its database being told, restarted, and asked again
    Then exactly 1 record exists after each

  @id:crash-database-cut @after:replay-once @needs:key @needs:database-proxy
  @ref:https://github.com/hookdeck/outpost/pull/670
  Scenario: The connections to the database are cut at every point
    When the target loses its connections to the database at every crash point and is asked again
    Then exactly 1 record exists after each

  @id:crash-database-restarted @after:replay-once @needs:key @needs:database
  @ref:https://github.com/hookdeck/outpost/pull/670
  Scenario: The database is restarted in the middle of a request
    When the database is restarted while the operation is at its middle crash point, and the target is asked again
    Then exactly 1 record exists after it

  @id:database-unavailable @after:replay-once @needs:key @needs:database-proxy
  @ref:https://github.com/hookdeck/outpost/pull/670
  Scenario: The database cannot be reached for two requests
    Whether the API fails open or closed is noted. The record is one, once it has recovered.
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first" and again as "second" while the target's database cannot be reached
    And the operation is sent again as "retry" with the same key until the target has recovered
    Then "retry" is handled as a retry after a lost answer of "first"
    And exactly 1 record exists

  @id:crash-first-byte @after:replay-once @needs:key @needs:crash @needs:restart
  @ref:https://github.com/AnchorNet-Org/AnchorNet-Backend/issues/221
  Scenario: Killed at the first byte of its answer
    What an answer promises must be there when the answer leaves.
    When the target is killed at the first byte of its answer, restarted, and asked again
    Then exactly 1 record exists after it

  @id:crash-while-working @after:replay-once @needs:key @needs:slow @needs:crash @needs:restart
  @ref:https://github.com/VilledeMontreal/express-idempotency/issues/32
  Scenario: Killed while it works; the lock of the dead owner is released
    When the operation is sent as "killed" and the target is killed while it works on it
    And the records are read as "after the restart"
    And the operation is sent again as "retry" with the same key until it settles
    Then "retry" is handled as a retry after a lost answer of "killed"
    And exactly 1 record exists
    And "retry" names the record that exists

  @id:crash-swept @after:replay-once @needs:key @needs:crash @needs:restart
  @ref:https://github.com/mastodon/mastodon/pull/21840
  Scenario: Killed at moments swept over the request
    A weak search beside the sweep over points, and all there is where no points are to be had.
    When the target is killed at moments swept over the request, restarted, and asked again
    Then exactly 1 record exists after each

  @id:crash-after-answer @after:replay-once @needs:key @needs:crash @needs:restart
  @ref:https://github.com/AnchorNet-Org/AnchorNet-Backend/issues/221
  Scenario: Killed after its answer
    Given the baseline was completed
    When the target is killed and restarted
    And the operation is sent again as "retry" with the same key until it settles
    Then "retry" is handled as a replay of "baseline"
    And exactly 1 record exists

  @after:replay-once @needs:key
  @ref:https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#section-2.6
  Scenario Outline: The client hangs up <when>
    Given event "E204" is approved for target record "A18"
    When the operation is sent as "first" and <fault>
    And the records are read as "before the retry"
    And the operation is sent again as "retry" with the same key until it settles
    Then "retry" is handled as a retry after a lost answer of "first"
    And exactly 1 record exists
    And "retry" names the record that exists

    @id:hang-up[headers]
    Examples:
      | when            | fault                                   |
      | before its body | the connection is cut after the headers |

    @id:hang-up[body]
    Examples:
      | when        | fault                                 |
      | in its body | the connection is cut inside the body |

    @id:hang-up[sent]
    Examples:
      | when                       | fault                                            |
      | when everything was sent   | the connection is cut right after the last byte |

    @id:hang-up[answer]
    Examples:
      | when          | fault                                   |
      | in the answer | the connection is cut inside the answer |
