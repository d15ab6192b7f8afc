"""More rows, run on surefoot alone: losses, habits of loops by hand, resuming with other settings."""
