"""Queries in processes of their own."""
