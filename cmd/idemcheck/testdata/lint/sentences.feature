Feature: Sentences that nobody reads
  @id:sentences @must
  Scenario: S
    When the operation is snet as "first"
    And the operation is sent again as "again" with the same keys
      | payload | P4 |
    Then exactly 1 record exist
    And exactly one record exists
