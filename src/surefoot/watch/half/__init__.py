"""Watch mixed precision: scalers, autocast, what is lost in rounding."""
