"""Watch schedulers: what they are made for, when they are stepped, in which epoch."""
