"""Published numbers and the settings that reproduce them, one module per source and topic."""
