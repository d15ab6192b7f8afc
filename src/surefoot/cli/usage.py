"""Exit statuses, and errors of usage."""

USAGE_STATUS = 2
INTERRUPTED_STATUS = 130  # as shells tell of a process that Ctrl-C ended


class UsageError(Exception):
    """Printed on stderr as it is; exit status 2."""
