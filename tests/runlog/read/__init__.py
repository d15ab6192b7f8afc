"""Readers of the run log."""
