"""Files larger than memory: batches of a watched file, what all rows say about a column, one recipe for every batch."""
