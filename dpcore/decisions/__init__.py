"""Which private learner to use, from public facts only."""
