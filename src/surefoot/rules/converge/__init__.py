"""The loss and the parameters over time."""
