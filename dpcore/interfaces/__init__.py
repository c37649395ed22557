"""Ways in besides Python: the command line, and the report it writes."""
