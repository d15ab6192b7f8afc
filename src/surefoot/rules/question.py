"""Questions about a family, from the file `questions.md` beside its rules."""

from __future__ import annotations

import re
from pathlib import Path

from surefoot.facts.frozen import frozen

FILE = "questions.md"


class QuestionError(ValueError):
    """The file has a mistake."""


@frozen
class Question:
    text: str
    choices: tuple[str, ...]
    right: int  # which of them
    reason: str
    proof: str = ""  # a program that holds as long as the answer does


def questions_of(family: str, folder: Path = Path(__file__).parent) -> tuple[Question, ...]:
    """None for a family of a plug-in."""
    file = folder / family / FILE
    if not file.is_file():
        return ()
    _, *parts = re.split(r"^## ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return tuple(_question(part) for part in parts)


def _question(part: str) -> Question:
    """A heading, a list of choices of which one is ticked, the reason, and perhaps a program."""
    text, _, rest = part.partition("\n")
    choices = re.findall(r"^- \[([ x])\] (.+(?:\n  .+)*)", rest, flags=re.MULTILINE)
    right = [number for number, (tick, _) in enumerate(choices) if tick == "x"]
    if len(right) != 1:
        raise QuestionError(f"{text!r} must have one choice that is ticked, got {len(right)}.")
    program = re.search(r"^```python\n(.*?)^```", rest, re.MULTILINE | re.DOTALL)
    after = rest[: program.start()] if program else rest
    reason = re.sub(r"^- \[[ x]\] .+(\n  .+)*\n?", "", after, flags=re.MULTILINE)
    return Question(
        text.strip(),
        tuple(" ".join(choice.split()) for _, choice in choices),
        right[0],
        " ".join(reason.split()),
        program[1] if program else "",
    )
