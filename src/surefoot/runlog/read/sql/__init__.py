"""SQL over runs: read-only, fenced in, with limits."""
