"""Watch a training program through hooks and thin wrappers, and tell what it does as facts."""
