"""Learning-rate schedules: when they advance, and how far."""
