"""The environments of gymnasium under their old name."""

from gymnasium import make  # noqa: F401
