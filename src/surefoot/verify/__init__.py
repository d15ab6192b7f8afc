"""Do two ways to run a training compute the same? Runs both, and names the first module and tensor that differ."""
