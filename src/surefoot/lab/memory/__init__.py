"""`sf.fit_batch`: the largest micro-batch that fits into memory."""
