"""Where in the user's code something happened."""

from surefoot.facts.frozen import frozen


@frozen
class Site:
    """A line of user code, never one inside torch, a library or surefoot.

    `callers` are the user frames above it, innermost first: they tell two uses of one helper apart.
    """

    file: str
    line: int
    function: str = ""
    callers: tuple[tuple[str, int], ...] = ()

    @property
    def place(self) -> tuple[str, int]:
        return (self.file, self.line)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"
