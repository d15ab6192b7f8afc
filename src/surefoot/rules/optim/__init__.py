"""Optimizers: which parameters are trained, and how."""
