"""The optimizer lab: torch's own optimizers on surfaces of two weights, small enough to be drawn."""
