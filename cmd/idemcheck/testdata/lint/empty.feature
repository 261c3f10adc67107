Feature: A misspelt word
  Scenari: S
    When it rains
