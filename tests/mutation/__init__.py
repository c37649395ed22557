"""Do the tests notice? Named faults, each tried against the tests that should."""
