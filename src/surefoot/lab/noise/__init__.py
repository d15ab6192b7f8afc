"""`sf.noise_scale`: how large a batch is worth its cost."""
