"""What surefoot does before and after a program must not change how the program ends."""

from collections.abc import Callable
from typing import Any


class Guard:
    """Runs our own code; a failure is told in one line, and the program goes on or ends as it would without us."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def run(self, what: str, call: Callable[..., Any], *args: Any) -> Any:
        """None if it failed."""
        try:
            return call(*args)
        except Exception as error:
            self._say(f"{what} failed; the script is not affected. {type(error).__name__}: {error}")
            return None
