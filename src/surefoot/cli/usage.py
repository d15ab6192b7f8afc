"""Errors of usage."""

USAGE_STATUS = 2


class UsageError(Exception):
    """Said on stderr as it is; exit status 2."""
