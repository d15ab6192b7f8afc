"""Why a query has no answer."""

TOO_LONG = "the query took more than {:g} s and was stopped. Ask for less at once."
TOO_MUCH_MEMORY = "the query needs more memory than it may use. Ask for less at once."
TOO_LARGE = "the answer is larger than {:,.0f} MB. Ask for fewer columns or rows, or aggregate."
MOST_ROWS = 20_000_000  # of one answer, unless others are asked for
STOPPED = "the query was stopped."


class QueryError(Exception):
    """A query that is refused or fails, and why."""


class DataError(QueryError):
    """A query that fails through what it reads: a file may be damaged."""
