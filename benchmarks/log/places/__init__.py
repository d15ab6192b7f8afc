"""A writer on file systems that are full, slow, or on another machine."""
