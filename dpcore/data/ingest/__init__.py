"""A file of unknown content becomes a table, and a table becomes X and y.

The modules follow each other: source → dialect → parse (or parquet) → kinds → table → choose → encode (which uses
`encoding`). The module `csv` runs them all.
"""
