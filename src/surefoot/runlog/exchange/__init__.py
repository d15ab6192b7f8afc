"""Runs out to other tools and in from them: TensorBoard event files, CSV, Parquet."""
