"""Levels, rules, families and expressions, told apart."""

import pytest

from surefoot.alerts.when import Wanted, read_wanted


def test_errors_by_default() -> None:
    wanted = read_wanted([])
    assert wanted == Wanted("error")
    assert wanted.wants("stale-gradients", "error")
    assert not wanted.wants("stale-gradients", "warning")


def test_each_kind() -> None:
    wanted = read_wanted(["error", " note", "stale-gradients", "clip", "loss > 3", "loss > 3 ", "val/loss > 1"])
    assert wanted.level == "note"
    assert "stale-gradients" in wanted.rules and len(wanted.rules) > 3
    assert wanted.expressions == ("loss > 3", "val/loss > 1")
    only = read_wanted(["stale-gradients"])
    assert only.wants("stale-gradients", "note")
    assert not only.wants("clip-after-step", "error")


@pytest.mark.parametrize(
    ("text", "hint"),
    [("stale-gradient", "Did you mean 'stale-gradients'?"), ("eror", "Did you mean 'error'?"), ("zzzz", "is no level")],
)
def test_a_wrong_name_gets_the_nearest(text: str, hint: str) -> None:
    with pytest.raises(ValueError, match="no level, rule or family") as refused:
        read_wanted([text])
    assert hint in str(refused.value)
