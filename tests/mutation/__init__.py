"""Do the tests notice? A seeded sample of small faults, each run against the tests that reach its line."""
