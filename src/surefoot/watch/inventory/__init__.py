"""Watch what exists: models, parameters, optimizers, where they come from and who holds them."""
