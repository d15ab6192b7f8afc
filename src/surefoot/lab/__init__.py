"""Experiments around training: see what a step does."""
