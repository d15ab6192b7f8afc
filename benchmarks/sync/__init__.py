"""Runs of many machines at one address: a folder, and object storage."""
