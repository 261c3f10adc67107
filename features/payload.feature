@payload
Feature: Payload
  What makes a request another request. JSON says that order, spacing and escapes mean nothing; the target file says which
  members and which query mean something. Everything else is only observed.

  @id:payload-compared @should @after:replay-once @needs:key @needs:body
  @ref:https://github.com/aws-powertools/powertools-lambda-python/issues/638 @ref:https://github.com/theam/facility/issues/187
  Scenario: One change after the other in what is sent under a used key
    Each change is a part of its own: payload-compared/spacing, payload-compared/member added.
    Given the baseline was completed
    When the operation is sent again with the same key and one change after the other
    Then exactly 1 record exists, and 1 more for each change that rightly made its own

  @id:text-body-compared @must @after:replay-once @needs:key @needs:text-body
  @ref:https://github.com/ArcadeData/arcadedb/issues/7704
  Scenario: Another text where the body is a plain text
    When the operation with a plain body is sent as "first" with its own key
    And the operation with a plain body is sent again as "again" with the key of "first"
    And the operation with a plain body is sent again as "other text" with the same key and another text
    Then "first" is handled as a request of its own
    And "again" is handled as a replay of "first"
    And "other text" is handled as a mismatch of "first"
    And exactly 1 record of the operation with a plain body exists
