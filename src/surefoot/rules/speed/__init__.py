"""Time that a run loses, measured rather than guessed."""
