"""What signals cost, and whether their rules leave healthy runs alone."""
