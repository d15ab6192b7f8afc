"""Pairs of runs that compute the same, and pairs in which one has a defect of distributed training."""
