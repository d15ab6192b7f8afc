"""Whether the answer of a call is thrown away, read off the bytecode of its caller."""

import sys
from typing import Any

from surefoot.watch.saved.answer import caller_of, is_thrown_away


class Asked:
    def __init__(self) -> None:
        self.thrown_away: list[bool] = []

    def call(self, *args: Any, **options: Any) -> "Asked":
        self.thrown_away.append(is_thrown_away(caller_of(sys._getframe(1))))
        return self


def test_calls_that_stand_alone() -> None:
    asked, options = Asked(), {"key": 2}
    asked.call()
    asked.call(1, key=2)
    asked.call(*[1], **options)
    for _ in range(1):
        asked.call()
    if asked:
        asked.call()
    assert asked.thrown_away == [True] * 5


def test_answers_that_are_used() -> None:
    asked = Asked()
    kept = asked.call()
    str(asked.call())
    assert asked.call()
    _ = [asked.call() for _ in range(2)]
    if asked.call():
        pass
    asked.call().thrown_away  # noqa: B018
    (lambda: asked.call())()
    assert kept is asked and not any(asked.thrown_away) and len(asked.thrown_away) == 8


def test_at_the_top_of_a_module() -> None:
    asked = Asked()
    exec(compile("asked.call(strict=False)\nx = asked.call()\n", "program.py", "exec"), {"asked": asked})
    assert asked.thrown_away == [True, False]
