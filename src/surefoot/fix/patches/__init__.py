"""Patches by topic. A module is found by its place here; its functions by `@patch_for`."""
