"""The dashboard beside others: start, first charts, bytes."""
