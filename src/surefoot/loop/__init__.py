"""The training loop: gradients, schedules, stopping and resuming that are right by construction."""
