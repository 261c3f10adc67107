@content @must
Feature: Content
  A second guard beside the key: it compares what is written, and refuses equal content under another key as well. It hides
  a key that is not looked at, as long as the repeats are equal; and it makes two equal writes one that were meant to be two.
  In all other cases each key has content of its own, so that the guard does not stand in the way.

  @id:content-repeated @needs:key @needs:opaque-key @needs:content-filter
  @ref:https://developer.paypal.com/braintree/articles/control-panel/transactions/duplicate-checking/
  Scenario: The same content under another key
    One record is right where a content filter is documented: the second request is refused.
    Given the baseline was completed
    When the operation is sent as "twin" with its own key and the same content
    Then "twin" is handled as equal content under another key of "baseline"
    And exactly 1 record exists, and 1 more if "twin" rightly created its own

  @id:contents-in-turn @needs:key @needs:opaque-key @needs:content-filter
  @ref:https://developer.paypal.com/api/rest/reference/orders/v2/errors/
  Scenario: Two contents in turn under keys of their own: A, B, A
    Two records are right: other content is another write, and what came before it is not forgotten.
    Given the baseline was completed
    When the operation is sent as "B" with its own key and other content
    And the operation is sent as "A again" with its own key and the same content
    Then "B" is handled as a request of its own
    And "A again" is handled as equal content under another key of "baseline"
    And exactly 2 records exist, and 1 more if "A again" rightly created its own

  @id:content-hides-no-key @after:replay-once @needs:key @needs:content-filter
  @ref:https://docs.wise.com/guides/product/send-money/standard-api-transfers
  Scenario: Other content under the same key
    Equal repeats are refused by the guard, so that they do not tell whether the key counts: replay-once sees it where the
    answer to a repeat is documented. Here the guard sees another write, and only the key can keep the record at one.
    Given the baseline was completed
    When the operation is sent as "other content" with the same key and other content
    Then "other content" is handled as a mismatch of "baseline"
    And exactly 1 record exists, and 1 more if "other content" rightly created its own

  @id:content-inside @needs:key @needs:opaque-key @needs:content-filter @needs:content-window @needs:clock
  @ref:https://developer.paypal.com/braintree/articles/control-panel/transactions/duplicate-checking/
  Scenario: The same content just before the guard forgets it
    Given the baseline was completed
    When the clock is moved to just inside the content filter's window of "baseline"
    And the operation is sent as "twin" with its own key and the same content
    Then "twin" is handled as equal content under another key of "baseline"
    And exactly 1 record exists, and 1 more if "twin" rightly created its own

  @id:content-outside @needs:key @needs:opaque-key @needs:content-filter @needs:content-window @needs:clock
  @ref:https://developer.paypal.com/braintree/articles/control-panel/transactions/duplicate-checking/
  Scenario: The same content just after the guard has forgotten it
    Two records are right: the key says that a second one is meant, and the time is over for which the content speaks
    against it.
    Given the baseline was completed
    When the clock is moved to just outside the content filter's window of "baseline"
    And the operation is sent as "late" with its own key and the same content
    Then "late" is handled as equal content after the filter's window of "baseline"
    And exactly 1 record exists, and 1 more if "late" rightly created its own
