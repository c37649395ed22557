"""Files larger than memory: read in batches, facts about each column from all rows, one recipe for every batch."""
