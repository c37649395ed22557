"""Ways to use the package without writing Python: the command line, and the report it writes."""
