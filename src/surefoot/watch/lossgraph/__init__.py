"""Read what a loss is off the autograd graph at its root, before backward frees it."""
