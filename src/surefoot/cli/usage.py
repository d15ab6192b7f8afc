"""Errors of usage."""


class UsageError(Exception):
    """Said on stderr as it is; exit status 2."""
