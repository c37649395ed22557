"""Single rows and groups of them: found, explained, compared, and what can be done about them."""
