"""Calls that would advance a scheduler, in branches."""

from pathlib import Path

import pytest

from surefoot.facts import Site
from surefoot.watch.schedule.branch import branches_of


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("scheduler = make()\n", False),
        ("scheduler = make()\nscheduler.step\n", False),
        ("scheduler = make()\nif epoch > 5:\n    scheduler.step()\n", True),
        ("self.plan = make()\nif done:\n    pass\nelse:\n    self.plan.step()\n", True),
        ("scheduler = make()\nif scheduler is not None:\n    scheduler.step()\n", False),
        ("scheduler = make()\nif isinstance(scheduler, Plateau):\n    scheduler.step(loss)\n", False),
        ("plan = make()\nif type(plan).__name__ == 'Plateau':\n    plan.step(loss)\n", False),
        ("plan = make()\nif 'plateau' in str(type(plan)).lower() and late:\n    plan.step(loss)\n", True),
        ("plan = make()\nif __name__ == '__main__':\n    if type(plan) is Plateau:\n        plan.step(loss)\n", False),
        ("plan = make()\non = isinstance(plan, Plateau)\nif on:\n    plan.step(loss)\n", False),
        ("plan = make()\nself.on = type(plan) is Plateau\nif self.on:\n    plan.step(loss)\n", False),
        ("plan = make()\non = isinstance(plan, Plateau) or late\nif on:\n    plan.step(loss)\n", True),
        ("plan = make()\non = isinstance(plan, Plateau)\non = late\nif on:\n    plan.step(loss)\n", True),
        ("plan = make()\non = isinstance(plan, Plateau)\ndef f(on):\n    if on:\n        plan.step()\n", True),
        ("plan = make()\non = isinstance(model, Plan)\nif on:\n    plan.step(loss)\n", True),
        ("scheduler = make()\nif scheduler and epoch > 3:\n    scheduler.step()\n", True),
        ("scheduler = make()\nwarm and scheduler.step()\n", True),
        ("scheduler = make()\nif ready:\n    optimizer.step()\n", False),
        ("scheduler = make()\nif ready:\n    def later():\n        scheduler.step()\n", False),
        ("scheduler = make()\nfor e in r:\n    for b in d:\n        break\n    scheduler.step()\n", False),
        ("scheduler = make()\nfor e in r:\n    if done:\n        break\n    scheduler.step()\n", True),
        ("scheduler = make(\n", False),
    ],
)
def test_depends_on_something_else(code: str, expected: bool, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(code)
    assert bool(branches_of(Site(str(file), 1))) is expected


def test_no_site_no_claim() -> None:
    assert branches_of(None) == []


@pytest.mark.parametrize(
    ("loop", "test", "counters", "impossible"),
    [
        ("for i, x in enumerate(data)", "i == len(data)", True, True),
        ("for i, x in enumerate(data)", "len(data) == i and i > 0", True, True),
        ("for i, x in enumerate(data)", "i + 1 == len(data)", True, False),
        ("for i, x in enumerate(data, start=1)", "i == len(data)", True, False),
        ("for i, x in enumerate(other)", "i == len(data)", True, False),
        ("for i in range(9)", "(i + 1) % every == 0", True, False),
        ("while True", "n % 10 == 0", True, False),
        ("for i in range(9)", "use and i % 2 == 0", False, False),
        ("for i in range(9)", "i > warm", False, False),
        ("for i in range(9)", "use", False, False),
        ("for i in range(9)", "loss == best", False, False),
    ],
)
def test_what_a_branch_asks_for(loop: str, test: str, counters: bool, impossible: bool, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(f"plan = make()\n{loop}:\n    n += 1\n    if {test}:\n        plan.step()\n")
    (branch,) = branches_of(Site(str(file), 1))
    assert (branch.asks_counters, branch.is_impossible, branch.site.line) == (counters, impossible, 5)
