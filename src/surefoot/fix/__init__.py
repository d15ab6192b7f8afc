"""Patches for findings, each proven by running the program with it."""
