"""Runs out and in."""
