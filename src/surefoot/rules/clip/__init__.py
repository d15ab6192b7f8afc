"""Gradient clipping: what, when, and on which scale."""
