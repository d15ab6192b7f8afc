"""`sf.ablate`: a small honest comparison of settings, on the user's own problem."""
