"""One expression over the course of a run: when it comes true."""

from surefoot.alerts.expression.parse import Expression
from surefoot.alerts.expression.series import Book


class Watcher:
    """Says so when it comes true, and again only after it has been untrue."""

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        self._is_reported = False
        self._since: tuple[int, float] | None = None  # step and time at which it began to hold

    def look(self, book: Book) -> bool:
        """Whether it has come true now, and for as long as it shall."""
        expression = self.expression
        if not expression.condition.holds(book):
            self._since, self._is_reported = None, False
            return False
        if self._is_reported:
            return False
        if self._since is None or book.step < self._since[0]:  # a counter that was set back
            self._since = (book.step, book.now)
        step, time = self._since
        if book.step - step < expression.for_steps or book.now - time < expression.for_seconds:
            return False
        self._is_reported = True
        return True
