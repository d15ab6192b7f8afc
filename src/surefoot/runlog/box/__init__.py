"""Queries in a process of their own, which the system keeps within limits and which may be killed at any moment."""
