"""Time that a run loses: measured, never guessed."""
