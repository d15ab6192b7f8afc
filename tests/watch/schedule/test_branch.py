"""Calls that would advance a scheduler, in branches."""

from pathlib import Path

import pytest

from surefoot.facts import Site
from surefoot.watch.schedule.branch import advances_in_branch


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
    assert advances_in_branch(Site(str(file), 1)) is expected


def test_no_site_no_claim() -> None:
    assert advances_in_branch(None) is False
