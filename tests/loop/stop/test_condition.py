"""What all conditions share: combining, saving, starting again."""

import json
import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from surefoot.loop import stop
from surefoot.loop.stop import Condition, Seen
from tests.loop.stop.seen import noise, seen, stopped_at

MAKERS: list[Callable[[], Condition]] = [
    lambda: stop.below("loss", -2.0),
    lambda: stop.above("loss", 1.0, num=2),
    lambda: stop.nonfinite("loss"),
    lambda: stop.after(updates=70),
    lambda: stop.patience("loss", 9),
    lambda: stop.plateau("loss", 33),
    lambda: stop.diverged("loss", window=5, num=2, share=0.1, sigmas=0.5),
    lambda: stop.below("loss", -1.0, num=2) | stop.patience("loss", 20) & stop.above("loss", 0.5),
    lambda: stop.below("loss", 0.5) & stop.below("loss", -0.2, num=2) & stop.after(updates=40),
]  # fmt: skip


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("kill", [1, 7, 40])
def test_a_resumed_condition_goes_on_as_if_nothing_had_happened(make: Callable[[], Condition], kill: int) -> None:
    values = [*noise(3, 120).tolist(), math.nan]
    whole, first, second = make(), make(), make()
    expected = [whole.see(seen(n, loss=value)) for n, value in enumerate(values, 1)]
    got = [first.see(seen(n, loss=value)) for n, value in enumerate(values[:kill], 1)]
    second.see(seen(1, loss=99.0))  # what it saw before is forgotten
    second.load_state_dict(first.state_dict())
    assert second.reason() == first.reason()
    got += [second.see(seen(n, loss=value)) for n, value in enumerate(values[kill:], kill + 1)]
    assert got == expected
    assert any(expected)


@pytest.mark.parametrize("make", MAKERS)
def test_states_are_plain_values_that_do_not_change_later(make: Callable[[], Condition]) -> None:
    condition = make()
    stopped_at(condition, [1.0, 2.0, 0.5] * 20)
    state = condition.state_dict()
    before = json.dumps(state)
    assert json.loads(before) == state
    stopped_at(condition, [3.0] * 50)
    assert json.dumps(state) == before


@pytest.mark.parametrize("make", MAKERS)
def test_reset_makes_it_new(make: Callable[[], Condition]) -> None:
    condition = make()
    stopped_at(condition, noise(1, 100))
    condition.reset()
    assert repr(condition.state_dict()) == repr(make().state_dict())
    assert condition.reason() is None


def test_states_survive_a_safe_load(tmp_path: object) -> None:
    condition = stop.diverged() | stop.nonfinite()
    torch.save(condition.state_dict(), f"{tmp_path}/state.pt")
    loaded = torch.load(f"{tmp_path}/state.pt", weights_only=True)
    assert repr(loaded) == repr(condition.state_dict())


def test_either_tells_every_reason() -> None:
    condition = stop.below("loss", 1.0) | stop.after(updates=3)
    assert condition.see(seen(1, loss=2.0)) is None
    assert condition.see(seen(3, loss=0.5)) == "loss 0.5 is below 1 at update 3; update 3 of at most 3 is done"


def test_both_may_be_seen_at_different_moments() -> None:
    condition = stop.below("loss", 1.0) & stop.above("val/acc", 0.9)
    assert condition.see(seen(1, loss=0.5)) is None
    told = "loss 0.5 is below 1 at update 1 and val/acc 0.95 is above 0.9 at update 1"
    assert condition.see(seen(1, val__acc=0.95)) == told
    assert condition.see(seen(2, loss=1.5)) is None  # no longer
    assert condition.see(seen(3, loss=0.6)) is not None


def test_and_binds_closer_than_or() -> None:
    a, b, c = stop.below("a", 0), stop.below("b", 0), stop.below("c", 0)
    condition = a | b & c
    assert condition.see(seen(1, b=-1.0)) is None
    assert condition.see(seen(1, c=-1.0)) is not None
    condition.reset()
    assert condition.see(seen(1, a=-1.0)) is not None


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), max_size=8))
def test_combinations_are_those_of_logic(rows: list[tuple[bool, bool, bool]]) -> None:
    a, b, c = (stop.above(name, 0) for name in "abc")
    condition = (a | b) & (b | c)
    for update, (x, y, z) in enumerate(rows):
        reason = condition.see(Seen(update, 0, 0.0, {"a": x - 0.5, "b": y - 0.5, "c": z - 0.5}))
        assert (reason is not None) == ((x or y) and (y or z))


def test_a_condition_used_twice_counts_once() -> None:
    calm = stop.patience("loss", 3)
    condition = calm & stop.after(updates=1) | calm & stop.after(updates=2)
    assert stopped_at(condition, [1.0, 1.0, 1.0, 1.0]) == 4


def test_a_resumed_run_may_have_other_conditions() -> None:
    saved = stop.patience("val/loss", 2)
    stopped_at(saved, [1.0, 2.0, 2.0], "val/loss")
    assert saved.reason() is not None
    resumed = stop.below("loss", 0.1) | stop.patience("val/loss", 3)
    resumed.load_state_dict(saved.state_dict())
    assert resumed.reason() is None
    assert resumed.see(seen(4, val__loss=2.0)) is not None


def test_another_limit_is_judged_by_what_was_seen() -> None:
    saved, resumed = stop.below("loss", 1.0), stop.below("loss", 0.1)
    assert saved.see(seen(1, loss=0.5)) is not None
    resumed.load_state_dict(saved.state_dict())
    assert resumed.reason() is None


def test_another_window_starts_afresh() -> None:
    saved, resumed = stop.plateau("loss", 10), stop.plateau("loss", 100)
    stopped_at(saved, [1.0] * 50)
    resumed.load_state_dict(saved.state_dict())
    assert repr(resumed.state_dict()) == repr(stop.plateau("loss", 100).state_dict())


def test_names_are_those_it_waits_for() -> None:
    condition = stop.below("loss", 1.0) | stop.patience("val/loss", 3) & stop.after(updates=3)
    assert condition.names == {"loss", "val/loss"}


def test_words_instead_of_signs_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Combine conditions with \| and &"):
        _ = stop.below("loss", 1.0) or stop.nonfinite()
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = stop.nonfinite() | "loss"  # type: ignore[operator]
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = stop.nonfinite() & 3  # type: ignore[operator]
