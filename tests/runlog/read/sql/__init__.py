"""SQL over runs."""
