"""What helps to make the package."""
