Feature: No Gherkin
  Scenario: S
    Given a
  nonsense
    | a |
