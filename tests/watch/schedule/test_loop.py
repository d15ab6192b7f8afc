"""Loops around a running line, read from source and frames."""

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from surefoot.watch.schedule.loop import Loops, user_frames
from surefoot.watch.schedule.rounds import value_of

pytestmark = pytest.mark.usefixtures("untraced")


def look(code: str, file: Path) -> list[tuple[Any, bool]]:
    """What is seen from each call of `here()`: the round of the outer loops, and whether one may stop early."""
    loops, seen = Loops(), []

    def here(subject: Any = None) -> None:
        frames = user_frames(sys._getframe(1), lambda name: name == str(file))
        seen.append((loops.round_of(frames, subject), loops.may_stop_early(frames)))

    file.write_text(code)
    exec(compile(code, str(file), "exec"), {"here": here})
    return seen


def test_rounds_of_the_loop_around_the_innermost(tmp_path: Path) -> None:
    code = "for epoch in range(2):\n    for i in range(2):\n        here()\n    here()\nhere()\n"
    assert [r for r, _ in look(code, tmp_path / "a.py")] == [(0,), (0,), None, (1,), (1,), None, None]


def test_rounds_across_functions(tmp_path: Path) -> None:
    code = """
def epoch_of(n):
    for i in range(n):
        here()

def main():
    for name, epoch in (("a", 0), ("b", 1)):
        epoch_of(1)

main()
"""
    assert [r for r, _ in look(code, tmp_path / "a.py")] == [("a", 0), ("b", 1)]


def test_rounds_that_cannot_be_told(tmp_path: Path) -> None:
    code = """
def main(used):
    for _ in range(2):
        for _ in range(1):
            here()
    while True:
        for i in range(1):
            here()
        break
    for epoch in range(1):
        for i in range(1):
            here()
            if used: locals()

main(False)
"""
    rounds = [r for r, _ in look(code, tmp_path / "a.py")]
    assert rounds[:3] == [None, None, None]
    assert rounds[3] == (None if sys.version_info < (3, 13) else (0,))


def test_a_loop_over_the_subject_is_skipped(tmp_path: Path) -> None:
    code = """
things = [object(), object()]
for epoch in range(1):
    for i in range(2):
        for thing in things:
            here(thing)
"""
    assert {r for r, _ in look(code, tmp_path / "a.py")} == {(0,)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for e in range(2):\n        here()", False),
        ("for e in range(2):\n        here()\n        if e: break", True),
        ("for e in range(2):\n        here()\n        if e: return", True),
        ("for e in range(2):\n        here()\n        for i in range(3):\n            break", False),
        ("for e in range(2):\n        for i in range(3):\n            break\n        here()", False),
        ("for e in range(2):\n        here()\n        def inner():\n            return 1", False),
        ("e = 0\n    while e < 2:\n        here()\n        e += 1", True),
        ("here()", False),
    ],
)
def test_loops_that_may_stop_early(body: str, expected: bool, tmp_path: Path) -> None:
    seen = look(f"def main():\n    {body}\n\nmain()\n", tmp_path / "a.py")
    assert {early for _, early in seen} == {expected}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("for e in range(3)", 3),
        ("for e in range(1, n + 1)", 5),
        ("for e in range(0, 10, args.stride)", 5),
        ("for e, x in enumerate([1, 2])", 2),
        ("for x in things", 4),
        ("for e in tqdm(range(n * 2 - 1))", 9),
        ("for x in iter(unknown())", None),
        ("for e in range(missing)", None),
        ("while True", None),
    ],
)
def test_planned_rounds(header: str, expected: int | None, tmp_path: Path) -> None:
    code = f"""
class args:
    pass
args = args()
args.stride = 2
def tqdm(x): return x
def unknown(): return [1]
things = [1, 2, 3, 4]
def main(n):
    missing = type("Missing", (), {{"__index__": lambda self: 1}})()
    {header}:
        here()
        break
main(5)
"""
    loops, seen = Loops(), []

    def here() -> None:
        seen.append(loops.planned(user_frames(sys._getframe(1), lambda name: name == str(tmp_path / "a.py"))))

    (tmp_path / "a.py").write_text(code)
    exec(compile(code, str(tmp_path / "a.py"), "exec"), {"here": here})
    assert seen == [expected]


def test_planned_rounds_multiply_across_functions(tmp_path: Path) -> None:
    code = "def inner():\n    for i in range(3):\n        here()\nfor e in range(2):\n    inner()\n"
    loops, seen = Loops(), []

    def here() -> None:
        seen.append(loops.planned(user_frames(sys._getframe(1), lambda name: name == str(tmp_path / "a.py"))))

    (tmp_path / "a.py").write_text(code)
    exec(compile(code, str(tmp_path / "a.py"), "exec"), {"here": here})
    assert seen == [6] * 6


def test_a_comprehension_is_a_loop(tmp_path: Path) -> None:
    code = "for epoch in range(2):\n    found = [here() for _ in range(2)]\n"
    assert [r for r, _ in look(code, tmp_path / "a.py")] == [(0,), (0,), (1,), (1,)]


def test_without_source_nothing_is_claimed() -> None:
    seen = []

    def here() -> None:
        frame = sys._getframe(1)
        seen.append((Loops().around(frame), Loops().may_stop_early([frame])))

    exec("for i in range(1):\n    here()", {"here": here})
    assert seen == [(None, True)]


def test_reading_a_variable_leaves_no_reference(tmp_path: Path) -> None:
    class Big:
        pass

    counts, values = [], []

    def probe(frame: FrameType) -> None:
        values.append(value_of(frame, "n"))

    def work() -> None:
        n, big = 7, Big()
        before = sys.getrefcount(big)
        probe(sys._getframe())
        counts.append(sys.getrefcount(big) - before)
        values.append(n)

    work()
    assert counts == [0]
    assert values == [7, 7]
