"""One finding per rule and line, with a count; rules that fail are dropped."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from surefoot.facts import EndFacts, EpochFacts, Site, StepFacts
from surefoot.judge import Judge, UnknownRuleError, select
from surefoot.rules import Evidence, History, Level, Rule
from surefoot.rules.catalogue import catalogue

DOC = "Summary.\n\n## Why it matters\nBecause it\nmatters.\n\nNot this.\n\n## Bad\n"


def step(index: int, optimizer: int = 1, alike: tuple[tuple[int, int], ...] = ()) -> StepFacts:
    repeats = sum(number for _, number in alike)
    return StepFacts(at=index, index=index, optimizer=optimizer, update=index, repeats=repeats, alike=alike)


def always(site: Site | None, level: Level = "error", why: str = "", on: type = StepFacts) -> Rule:
    def check(now: StepFacts, past: History) -> Iterator[Evidence]:
        yield Evidence("seen", "mend it", site, why, {"past": len(past.steps)}, level)

    return Rule("always", "some", "error", (on,), check, (), DOC)


def fail(name: str, error: Exception) -> None:
    raise error


def test_a_rule_is_told_once_per_line_with_a_count() -> None:
    judge = Judge([always(Site("a.py", 3))], fail)
    (found,) = judge.judge(step(1))
    assert (found.file, found.line, found.step, found.count, found.why) == ("a.py", 3, 1, 1, "Because it matters.")
    assert judge.judge(step(2)) == []
    assert judge.judge(step(10, alike=((2, 7),))) == []
    assert judge.findings == [found]
    assert found.count == 10
    assert found.evidence == {"past": 0}


def test_steps_that_were_not_recorded_count_as_the_one_they_are_like() -> None:
    def check(now: StepFacts, past: History) -> Iterator[Evidence]:
        if now.index % 2 == 0:
            yield Evidence("seen", "mend it", Site("a.py", 3))

    judge = Judge([Rule("even", "some", "error", (StepFacts,), check, (), DOC)], fail)
    (found,) = judge.judge(step(2)) or [None]
    judge.judge(step(3))
    judge.judge(step(11, alike=((3, 5), (2, 2))))
    judge.judge(EndFacts(at=20, num_steps=20, alike=((2, 4), (3, 4))))
    assert found is not None
    assert found.count == 1 + 2 + 4


def test_findings_at_the_end_carry_the_number_of_steps() -> None:
    judge = Judge([always(None, on=EndFacts, why="own reason")], fail)
    judge.judge(step(4))
    (found,) = judge.judge(EndFacts(at=9, num_steps=8))
    assert (found.step, found.file, found.line, found.why) == (8, None, None, "own reason")


def test_findings_between_steps_carry_the_last_step() -> None:
    judge = Judge([always(None, on=EpochFacts)], fail)
    judge.judge(step(4))
    (found,) = judge.judge(EpochFacts(at=9, loader=1, epoch=1))
    assert found.step == 4


def test_a_graver_finding_takes_the_place_of_a_note() -> None:
    def check(now: StepFacts, past: History) -> Iterator[Evidence]:
        yield Evidence("seen", "mend it", Site("a.py", 3), level=None if now.index == 2 else "note")

    judge = Judge([Rule("rising", "some", "warning", (StepFacts,), check, (), DOC)], fail)
    judge.judge(step(1))
    (graver,) = judge.judge(step(2))
    assert judge.judge(step(3)) == []
    assert judge.findings == [graver]
    assert (graver.severity, graver.step, graver.count) == ("warning", 2, 2)


def test_evidence_may_lower_a_level_but_not_raise_it() -> None:
    assert Judge([always(None, "note")], fail).judge(step(1))[0].severity == "note"
    mild = Rule("mild", "some", "note", (StepFacts,), always(None, "error").check, (), DOC)
    with pytest.raises(AssertionError, match="only lower"):
        Judge([mild], fail).judge(step(1))


@pytest.mark.parametrize(
    ("comment", "suppressed"),
    [
        ("# surefoot: ignore[always]", True),
        ("# surefoot: ignore[other, always]", True),
        ("# surefoot: ignore", True),
        ("#SUREFOOT:ignore[always]", True),
        ("# surefoot: ignore[other]", False),
        ("# ignore[always]", False),
    ],
)
def test_a_comment_on_the_line_suppresses(comment: str, suppressed: bool, tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(f"\noptimizer.step()  {comment}\n")
    judge = Judge([always(Site(str(file), 2))], fail)
    judge.judge(step(1))
    judge.judge(step(2))
    assert (judge.findings == []) is suppressed


def test_a_rule_that_fails_is_dropped_and_named() -> None:
    def broken(now: StepFacts, past: History) -> Iterator[Evidence]:
        raise ZeroDivisionError("oh")
        yield

    failed: list[str] = []
    bad = Rule("bad", "some", "error", (StepFacts,), broken, (), DOC)
    judge = Judge([bad, always(None)], lambda name, error: failed.append(name))
    for index in (1, 2):
        judge.judge(step(index))
    assert failed == ["bad"]
    assert judge.not_checked == {"bad": "it failed with ZeroDivisionError: oh"}
    assert [f.rule for f in judge.findings] == ["always"]


def test_selection_by_name_and_family() -> None:
    rules = {name: Rule(name, family, "error", (StepFacts,), always(None).check, (), DOC)
             for name, family in [("a-b", "one"), ("a-c", "one"), ("x-y", "two")]}  # fmt: skip
    assert list(select(rules)) == ["a-b", "a-c", "x-y"]
    assert list(select(rules, ["one"], ["a-c"])) == ["a-b"]
    assert list(select(rules, [], ["one"])) == ["x-y"]
    with pytest.raises(UnknownRuleError, match="Did you mean 'x-y'"):
        select(rules, ["x-z"])
    with pytest.raises(UnknownRuleError, match=r"named '§§§'\.$"):
        select(rules, ["§§§"])


def firing(name: str, line: int, *optimizers: int, follows: tuple[str, ...] = (), level: Level = "error") -> Rule:
    def check(now: StepFacts, past: History) -> Iterator[Evidence]:
        if now.optimizer in optimizers:
            yield Evidence("seen", "mend it", Site("a.py", line), level=level)

    return Rule(name, "some", "error", (StepFacts,), check, (), DOC, follows)


def test_a_finding_follows_from_the_cause_of_the_same_optimizer() -> None:
    consequence = firing("consequence", 5, 1, 2, follows=("cause",))
    judge = Judge([consequence, firing("cause", 3, 2)], fail)
    (found,) = judge.judge(step(1, optimizer=1))
    assert found.follows is None
    judge.judge(step(2, optimizer=2))
    assert found.follows == ("cause", "a.py", 3)


def test_a_cause_of_another_optimizer_or_a_note_explains_nothing() -> None:
    for cause in (firing("cause", 3, 2), firing("cause", 3, 1, level="note"), firing("other", 3, 1)):
        judge = Judge([firing("consequence", 5, 1, follows=("cause",)), cause], fail)
        found = [*judge.judge(step(1, optimizer=1)), *judge.judge(step(2, optimizer=2))]
        assert found and all(finding.follows is None for finding in found)


def test_every_cause_that_a_rule_names_exists() -> None:
    rules = catalogue()
    assert {cause for rule in rules.values() for cause in rule.follows} <= set(rules)
