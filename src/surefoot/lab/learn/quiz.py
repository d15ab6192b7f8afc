"""Ask the questions of a family one by one."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from surefoot.lab.learn.page import LETTERS, answer, choices
from surefoot.rules.question import Question

WIDTH = 100


def ask(questions: Sequence[Question], read: Callable[[str], str], write: Callable[[str], None]) -> int:
    """How many were right. An empty answer shows it; whoever has enough ends it with Ctrl-D or Ctrl-C."""
    num_right = 0
    for number, question in enumerate(questions, 1):
        write(f"\n{number} of {len(questions)}: {question.text}\n" + "\n".join(choices(question)))
        letters = LETTERS[: len(question.choices)]
        try:
            given = _answer(letters, read)
        except (EOFError, KeyboardInterrupt):
            write("")
            break
        is_right = given == letters[question.right]
        num_right += is_right
        message = f"Right. {question.reason}" if is_right else f"{'No. ' if given else ''}{answer(question).strip()}"
        write(textwrap.fill(message, WIDTH, initial_indent="   ", subsequent_indent="   "))
    return num_right


def _answer(letters: str, read: Callable[[str], str]) -> str:
    """Asked again until it is one of the letters, or nothing."""
    while True:
        given = read(f"   {', '.join(letters)}? ").strip().lower().rstrip(")")
        if not given or given in list(letters):
            return given
