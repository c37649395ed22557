"""Rows in pieces: in memory, from a file, on a cluster; written to a file, or turned page by page."""
