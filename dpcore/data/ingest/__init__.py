"""A file of strangers becomes a table, and a table becomes X and y.

source → dialect → parse (or parquet) → kinds → table → choose → matrix → encode; `csv` is the way through.
"""
