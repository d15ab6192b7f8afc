"""Where a program runs when nothing of the user's may change: `check`, `verify` and `fix` run it here."""
