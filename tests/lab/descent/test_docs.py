"""The page about the optimizer lab names what there is, and its example runs."""

import re
from pathlib import Path

from surefoot.dashboard.server.worker import IDLE_SECONDS
from surefoot.lab.descent.catalogue import MOST_STEPS, NUM_SAMPLES, OPTIMIZERS
from surefoot.lab.descent.surface import SURFACES
from surefoot.lab.descent.worker import SECONDS

PAGE = (Path(__file__).parents[3] / "docs" / "optimizer-lab.md").read_text(encoding="utf-8")


def test_the_example_runs() -> None:
    (text,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(text, "optimizer-lab.md", "exec"), {"__name__": "page"})


def test_everything_is_named() -> None:
    for kind in OPTIMIZERS.values():
        assert kind.title in PAGE
    for surface in SURFACES.values():
        assert surface.title.split()[-1].lower() in PAGE.lower()
    assert f"`{SURFACES['bowl'].text}`" in PAGE


def test_its_numbers_are_those_of_the_code() -> None:
    assert f"{MOST_STEPS:,} updates and {SECONDS:g} s" in PAGE and f"{NUM_SAMPLES} samples" in PAGE
    assert IDLE_SECONDS == 5 * 60 and "five minutes" in PAGE
