"""Checkpoints: what is saved, kept and loaded, and what is forgotten."""
