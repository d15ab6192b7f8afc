"""Several ranks and one model: gradients that are shared, weights that stay equal, data that differs."""
