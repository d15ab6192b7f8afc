"""Token ids, targets and what a prediction depends on, read off the graph of a sequence model."""
