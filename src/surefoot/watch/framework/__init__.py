"""Frameworks that run the training loop: which function of the user a step is on behalf of."""
