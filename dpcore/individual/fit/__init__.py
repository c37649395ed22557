"""Ridge fits to all rows, and to all but one of them."""
