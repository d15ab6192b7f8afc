"""Watch for NaN and Inf in gradients and weights."""
