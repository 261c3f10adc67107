@webhook @must @needs:receiver
Feature: Webhook receiver
  Here the target is the one that is called. A sender that has heard no acknowledgement delivers an event again: minutes
  later, or days, or while the first delivery is still worked on. One event is one effect.

  @id:webhook-first
  @ref:https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  Scenario: An event is acknowledged and has its effect
    When the event is delivered as "first"
    Then "first" is acknowledged
    And exactly 1 effect exists

  @id:webhook-twice
  @ref:https://github.com/anomalyco/opencode/issues/28402 @ref:https://github.com/wasp-lang/open-saas/issues/688
  Scenario: The same event twice, and once more
    The cases about repeated events stand on this one.
    When the event is delivered as "first"
    And the event is delivered again as "again"
    And the event is delivered again as "once more"
    Then exactly 1 effect exists

  @id:webhook-acknowledged @after:webhook-twice @should
  @ref:https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  @ref:https://github.com/github/docs/blob/main/content/webhooks/using-webhooks/best-practices-for-using-webhooks.md
  Scenario: A repeat is acknowledged
    A sender goes by 2xx. What is refused as a duplicate is delivered again and again, until the endpoint is given up.
    When the event is delivered as "first"
    And the event is delivered again as "again"
    And the event is delivered again as "once more"
    Then "first" is acknowledged
    And "again" is acknowledged
    And "once more" is acknowledged
    And exactly 1 effect exists

  @id:webhook-together @after:webhook-twice
  @ref:https://github.com/Pinelab-studio/pinelab-vendure-plugins/issues/620
  Scenario: The same event ten times at once
    When 10 deliveries of one event arrive at the same moment
    And the event is delivered again as "afterwards"
    Then "afterwards" is acknowledged
    And exactly 1 effect exists
    And at least two of the sends overlapped

  @id:webhook-late @after:webhook-twice
  @ref:https://github.com/matrix-org/synapse/issues/1481
  Scenario: The same event again, after others
    When the event is delivered as "first"
    And another event "E205" is delivered as "second"
    And another event "E206" is delivered as "third"
    And the event is delivered again as "late"
    Then "late" is acknowledged
    And one effect exists for each event

  @id:webhook-redelivered @after:webhook-twice @needs:clock @needs:horizon
  @ref:https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  Scenario: The same event again, just before its sender gives up
    An event must be remembered for as long as it may come again.
    When the event is delivered as "first"
    And the clock is moved to the end of the redelivery of "first"
    And the event is delivered again as "late"
    Then "late" is acknowledged
    And exactly 1 effect exists

  @id:webhook-remembered @should @after:webhook-twice @needs:clock @needs:memory
  @ref:https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  Scenario: The same event again, just before its receiver may forget it
    When the event is delivered as "first"
    And the clock is moved to the end of the memory of "first"
    And the event is delivered again as "late"
    Then "late" is acknowledged
    And exactly 1 effect exists

  @id:webhook-every-try @after:webhook-twice @needs:tries
  @ref:https://developers.hubspot.com/docs/api-reference/latest/webhooks/guide
  Scenario: The same event, as often as its sender delivers it at most
    When the event is delivered as "first"
    And the event is delivered as often as its sender does at most
    Then every delivery is acknowledged
    And exactly 1 effect exists

  @id:webhook-other-body @after:webhook-twice @needs:event-payload
  @ref:https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  Scenario: The same event with another body
    The id alone says what an event is. Its body may have been rendered anew.
    When the event is delivered as "first"
    And the event is delivered again as "other body" with another payload
    Then "other body" is acknowledged
    And exactly 1 effect exists

  @id:webhook-distinct
  @ref:https://github.com/hookdeck/outpost/pull/670
  Scenario: Two events with the same wording
    Two effects are right: what is alike is not the same.
    When the event is delivered as "first"
    And another event "E205" is delivered as "second"
    Then "second" is acknowledged
    And exactly 2 effects exist

  @id:webhook-compound @needs:compound-event
  @ref:https://developers.hubspot.com/docs/api-reference/latest/webhooks/guide
  @ref:https://github.com/cloudevents/spec/blob/main/cloudevents/spec.md
  Scenario: Events that share all parts of their id but one
    As many effects as events are right, and still one for each when the first comes again.
    When the event is delivered as "first"
    And for each part of the event id an event is delivered that shares all others with "first"
    And the event is delivered again as "again"
    Then one effect exists for each event

  @id:webhook-one-fact @after:webhook-twice
  @ref:https://docs.stripe.com/webhooks
  Scenario: Two events for one fact
    A sender may make two event objects of one change.
    When the event is delivered as "first"
    And another event for the same fact is delivered as "second"
    Then "second" is acknowledged
    And "first" and "second" are one effect where they tell of one fact

  @id:webhook-forged @needs:signed-event
  @ref:https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  Scenario: A forgery comes before the event
    Who does not know the secret can neither have an event acted upon nor have it taken for one that is done.
    When a forgery of the event arrives as "forgery"
    And the event is delivered again as "genuine"
    Then "forgery" is not acknowledged
    And "genuine" is acknowledged
    And exactly 1 effect exists

  @id:webhook-other-tenant @needs:second-tenant
  @ref:https://github.com/openmeterio/openmeter/pull/126
  Scenario: The same event id in another tenant
    Two effects are right, one in each tenant.
    When the event is delivered as "first"
    And the event is delivered again as "elsewhere" in the other tenant
    Then "elsewhere" is acknowledged
    And exactly 1 effect exists
    And exactly 1 effect exists in the other tenant

  @id:webhook-other-instance @after:webhook-twice @needs:replicas
  @ref:https://github.com/AnchorNet-Org/AnchorNet-Backend/issues/221
  Scenario: The same event again to another instance of the service
    When the event is delivered as "first"
    And the event is delivered again as "elsewhere" to another instance
    Then "elsewhere" is acknowledged
    And exactly 1 effect exists

  @id:webhook-after-failure @after:webhook-twice @needs:fail
  @ref:https://github.com/AI-Shipping-Labs/website/issues/285
  Scenario: The same event again, after it could not be worked on
    What was not done is not done yet: the event must not be taken for one that is.
    When the event is delivered as "failing" with the target told to fail
    And the event is delivered again as "again" until it is acknowledged
    Then "again" is acknowledged
    And exactly 1 effect exists

  @id:webhook-late-ack[hung-up] @after:webhook-twice
  @ref:https://github.com/caura-ai/caura/pull/1629
  Scenario: The sender hangs up before the acknowledgement, and delivers again
    When the event is delivered as "unheard" and the connection is cut right after the last byte
    And the event is delivered again as "again" until it is acknowledged
    Then "again" is acknowledged
    And exactly 1 effect exists

  @id:webhook-late-ack[still-running] @after:webhook-twice @needs:slow
  @ref:https://docs.stripe.com/webhooks
  Scenario: An acknowledgement that comes too late, and the event again meanwhile
    When the event is delivered as "slow" and the acknowledgement comes too late
    And the event is delivered again as "again" until it is acknowledged
    And the slow attempt has had its time
    And the event is delivered again as "afterwards"
    Then "afterwards" is acknowledged
    And exactly 1 effect exists

  @id:webhook-durable @needs:crash @needs:restart
  @ref:https://docs.stripe.com/webhooks
  Scenario: Killed right after the acknowledgement
    What was acknowledged is not delivered again, so that its effect must not be lost.
    When the event is delivered as "first"
    And the target is killed and restarted
    Then "first" is acknowledged
    And exactly 1 effect exists
