"""Readers of our files, given bytes that no writer of ours would have written."""
