"""From what experiments wrote down to verdicts: plain functions, no torch."""
