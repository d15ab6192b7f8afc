"""Learn by seeing it happen: the two programs of a rule, run for real."""
