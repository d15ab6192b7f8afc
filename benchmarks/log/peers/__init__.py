"""The kills and damages that our run log is put through, for other trackers and for SQLite alone."""
