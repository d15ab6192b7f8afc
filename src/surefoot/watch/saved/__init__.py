"""Watch what is saved, kept and loaded: whole checkpoints, weights, the state of optimizers."""
