"""The rules of this family on two real ranks: the twins of each, and planted bugs; by replay the same again."""

import pytest

from surefoot.facts import decode, encode
from surefoot.judge import Judge
from surefoot.rules.catalogue import catalogue
from tests.rules.dist.bugs import BUGS
from tests.rules.ranks import Ranks, watch_on_ranks
from tests.rules.twins import above_notes, twins

pytestmark = pytest.mark.timeout(600)  # all programs are run before the first test
RULES = {name: rule for name, rule in catalogue().items() if rule.family == "dist"}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ranks]:
    """All of them in one go, because starting two ranks takes seconds."""
    programs = {f"{name}-{twin}": code for name, rule in RULES.items() for twin, code in twins(rule.doc).items()}
    programs |= {name.replace(" ", "-"): bug.program for name, bug in BUGS.items()}
    return watch_on_ranks(programs, tmp_path_factory.mktemp("ranks"))


@pytest.mark.parametrize("name", RULES)
def test_bad_twin_fires_exactly_this_rule(name: str, ran: dict[str, Ranks]) -> None:
    ranks = ran[f"{name}-Bad"]
    assert above_notes(ranks.all_findings) == {name}
    for findings, records in zip(ranks.findings, ranks.records, strict=True):
        again = Judge(catalogue().values(), on_failure=lambda rule, error: pytest.fail(f"{rule}: {error!r}"))
        for record in records:
            again.judge(decode(encode(record)))
        assert [(f.rule, f.line, f.count) for f in again.findings] == [(f.rule, f.line, f.count) for f in findings]


@pytest.mark.parametrize("name", RULES)
def test_good_twin_is_silent(name: str, ran: dict[str, Ranks]) -> None:
    assert above_notes(ran[f"{name}-Good"].all_findings) == set()


@pytest.mark.parametrize("name", BUGS)
def test_planted_bug_is_found_at_its_line(name: str, ran: dict[str, Ranks]) -> None:
    found = [f for f in ran[name.replace(" ", "-")].all_findings if f.severity != "note"]
    assert {(f.rule, f.line) for f in found} == {(BUGS[name].rule, BUGS[name].place)}
