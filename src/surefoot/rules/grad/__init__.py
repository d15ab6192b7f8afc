"""Zeroing, accumulation, leakage: what a step really uses."""
