"""Runs of many machines in one place: a shared folder, a machine reached by ssh, or object storage."""
