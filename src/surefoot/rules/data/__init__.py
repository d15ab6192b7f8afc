"""Training data: its order, its variety, and the random numbers of the workers that load it."""
