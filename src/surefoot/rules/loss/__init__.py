"""The wiring of the loss, read off the autograd graph at its root."""
