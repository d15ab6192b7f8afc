"""Tests are of the kind that tests/kinds.py assigns them to."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.kinds import ORDER, ByFile, entry, kind, may_be_asked_for, pytest_collection_modifyitems

TESTS = Path(__file__).parent


class Item(SimpleNamespace):
    """As much of one of pytest's as is asked for."""

    def add_marker(self, name: str) -> None:
        self.mark = name


def item(path: str, name: str = "test_it") -> Any:
    return Item(path=TESTS / path, name=name)


def test_every_name_is_that_of_tests() -> None:
    used = {entry(file) for file in TESTS.rglob("test_*.py")}
    assert [name for number, (_, name) in enumerate(ORDER) if number not in used] == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("judge/test_judge.py", "quick"),
        ("dashboard/browser/test_learn.py", "browser"),
        ("dashboard/test_learn.py", "slow"),
        ("loop/test_resume.py", "kills"),
        ("loop/parallel/test_resume.py", "ranks"),
        ("zoo/test_zoo.py", "corpus"),
        ("zoo/test_ranks.py", "ranks"),
        ("loop/test_feed.py", "quick"),
    ],
)
def test_the_first_name_decides(path: str, expected: str) -> None:
    assert kind(item(path)) == expected


def test_loaders_with_workers_are_not_quick() -> None:
    assert kind(item("loop/test_feed.py", "test_order[two workers]")) == "slow"


@pytest.mark.parametrize(
    ("file", "expression", "expected"),
    [
        ("zoo/test_zoo.py", "corpus", True),
        ("zoo/test_zoo.py", "ranks", False),
        ("zoo/test_ranks.py", "not (quick or process)", True),
        ("judge/test_judge.py", "not (quick or process)", False),
        ("judge/test_judge.py", "quick or process", True),
        ("loop/test_feed.py", "slow", True),
        ("judge/test_judge.py", "quick and bad_program", True),
    ],
)
def test_only_files_of_a_pass_are_imported(file: str, expression: str, expected: bool) -> None:
    assert may_be_asked_for(TESTS / file, expression) == expected


def test_live_models_are_counted_first_and_quick_tests_precede_others() -> None:
    items = [item("zoo/test_zoo.py"), item("judge/test_judge.py"), item("watch/inventory/test_setup_probe.py")]
    pytest_collection_modifyitems(items)
    assert [(one.path.parent.name, one.mark) for one in items] == [
        ("inventory", "quick"), ("judge", "quick"), ("zoo", "corpus"),
    ]  # fmt: skip


def test_files_that_share_a_fixture_go_to_one_process() -> None:
    def scope(nodeid: str) -> str:
        return ByFile._split_scope(Any, nodeid)  # type: ignore[arg-type]

    assert scope("tests/judge/test_judge.py::test_a") == "tests/judge/test_judge.py"
    assert len({scope(f"tests/loop/parallel/test_{name}.py::test_a[x::y]") for name in ("exact", "joint")}) == 1
