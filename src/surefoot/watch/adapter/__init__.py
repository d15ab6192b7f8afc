"""Optimizers that are none of torch's, each seen through one of torch's that stands for it."""
