"""An expression as words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["number", "name", "quoted", "operator", "end"]

# A name may hold - / : . where a letter or digit follows at once, as in `val/loss`: as operators they stand apart.
_TOKEN = re.compile(
    r"""(?P<number> (?: \d+ (?:\.\d*)? | \.\d+ ) (?:[eE][+-]?\d+)? (?![\w.]) )
      | (?P<name> [^\W\d][\w.]* (?: [-/:][\w.]+ )* )
      | (?P<quoted> "[^"]*" | '[^']*' )
      | (?P<operator> <= | >= | == | != | [-+*/<>(),] )""",
    re.VERBOSE,
)
_KINDS: dict[str, Kind] = {"number": "number", "name": "name", "quoted": "quoted", "operator": "operator"}
_INSTEAD = {"=": "==", "&": "and", "|": "or", "!": "not"}  # as other languages write it


class ExpressionError(ValueError):
    """Shows the expression with a mark under the place."""

    def __init__(self, what: str, text: str, at: int) -> None:
        shown = "".join(c if c.isprintable() else " " for c in text)
        super().__init__(f"{what}\n  {shown}\n  {' ' * at}^")
        self.what = what
        self.at = at

    def __reduce__(self) -> tuple[type[ValueError], tuple[str]]:  # pools send exceptions to their parent
        return (ValueError, (str(self),))


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str  # of a quoted name: without the quotes
    at: int  # where it begins

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f"`{self.text}`"


def tokens(text: str) -> Iterator[Token]:
    """All of them, and the end."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        found = _TOKEN.match(text, at)
        if found is None:
            raise ExpressionError(_why(text, at), text, at)
        kind, word = _KINDS[found.lastgroup or ""], found[0]
        yield Token(kind, word[1:-1] if kind == "quoted" else word, at)
        at = found.end()
    yield Token("end", "", len(text.rstrip()))


def _why(text: str, at: int) -> str:
    if text[at] in "\"'":
        return "this quote is not closed"
    if text[at].isdigit() or text[at] == ".":
        return 'this is no number; a name that starts so is written in quotes: "2nd/loss"'
    instead = _INSTEAD.get(text[at])
    return f"{text[at]!r} means nothing here" + (f"; write `{instead}`" if instead else "")
