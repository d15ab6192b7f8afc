"""Sequence models: padding, masks, and targets that are moved against the input."""
