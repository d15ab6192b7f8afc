"""One step from data to update, stage by stage, as `surefoot trace` shows it."""
