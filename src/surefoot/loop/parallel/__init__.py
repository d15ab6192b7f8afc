"""Where a loop runs: in one process, or on the ranks of several."""
