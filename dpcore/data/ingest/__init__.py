"""A file of strangers becomes a table, and a table becomes X and y.

source → dialect → parse (or parquet) → kinds → table → choose → encode (by `encoding`); `csv` is the way through.
"""
