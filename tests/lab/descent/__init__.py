"""Tests of the optimizer lab."""
