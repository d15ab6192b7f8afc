"""Every rule's Bad twin fires exactly that rule, its Good twin nothing; by replay the same again."""

from pathlib import Path

import pytest

from surefoot.facts import decode, encode
from surefoot.judge import Judge
from surefoot.rules.catalogue import catalogue
from surefoot.rules.lesson import needs_device
from tests.rules.twins import above_notes, twins, watch_program

RULES = catalogue()
ALONE = [  # the others are in dist/test_on_ranks.py and speed/test_host_waits_every_step.py
    name for name, rule in RULES.items() if rule.family != "dist" and not needs_device(rule.doc)
]


@pytest.mark.parametrize("name", ALONE)
def test_bad_twin_fires_exactly_this_rule(name: str, tmp_path: Path) -> None:
    findings, records = watch_program(twins(RULES[name].doc)["Bad"], tmp_path / "bad.py")
    assert name in {f.rule for f in findings}
    assert above_notes(findings) <= {name}
    again = Judge(RULES.values(), on_failure=lambda rule, error: pytest.fail(f"{rule}: {error!r}"))
    for record in records:
        again.judge(decode(encode(record)))
    assert again.findings == findings


@pytest.mark.parametrize("name", ALONE)
def test_good_twin_is_silent(name: str, tmp_path: Path) -> None:
    findings, _ = watch_program(twins(RULES[name].doc)["Good"], tmp_path / "good.py")
    assert name not in {f.rule for f in findings}
    assert above_notes(findings) == set()
