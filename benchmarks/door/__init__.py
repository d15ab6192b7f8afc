"""Attacks on SQL and on the server."""
