"""Damage copies of real runs at random, read them with every reader, and compare each number with the undamaged run."""
