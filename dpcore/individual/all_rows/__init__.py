"""What is said and shown of all rows together."""
