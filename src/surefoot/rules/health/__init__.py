"""The health of the numbers."""
