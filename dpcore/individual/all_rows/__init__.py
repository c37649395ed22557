"""What is said and shown about all rows together."""
