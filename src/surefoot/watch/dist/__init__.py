"""Watch what several ranks do with one model."""
