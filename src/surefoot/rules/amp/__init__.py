"""Mixed precision: scalers, autocast, half-precision weights."""
