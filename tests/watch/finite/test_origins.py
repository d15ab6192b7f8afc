"""What is said about the origin of a NaN or Inf is so, for all kinds of programs; in doubt less is said."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from surefoot.facts import BirthFacts
from surefoot.rules.origin import describe
from surefoot.watch.finite.origin.backward_origin import backward_origin
from surefoot.watch.finite.origin.forward_origin import forward_origin
from surefoot.watch.finite.origin.place import Places
from tests.watch.finite.origin_cases import BACKWARD, FORWARD, Case, masked_target
from tests.watch.watching import Watched, watching


@pytest.fixture(scope="module")
def watched() -> Iterator[Watched]:
    with watching() as recorder:
        yield recorder


@pytest.fixture
def places(watched: Watched) -> Places:
    torch.manual_seed(0)
    return Places(watched.names)


def is_bad(param: Tensor) -> bool | None:
    return None if param.grad is None else not bool(param.grad.isfinite().all())


def assert_true(case: Case, birth: BirthFacts | None) -> None:
    if not case.proven:
        assert birth is None or birth.where == "seen", birth
        return
    assert birth is not None
    assert (birth.where, birth.operation) == (case.where, case.operation), birth
    # Several models may be alive, so that their names come before those of modules.
    assert birth.module == case.module or (birth.module.endswith(f".{case.module}") and case.module), birth


@pytest.mark.parametrize("case", FORWARD, ids=lambda case: case.name)
def test_a_loss_that_is_not_finite(case: Case, watched: Watched, places: Places) -> None:
    model, loss = case.make()
    assert not loss.isfinite()
    watched.names.learn()
    assert_true(case, forward_origin(loss, places))
    del model


@pytest.mark.parametrize("case", BACKWARD, ids=lambda case: case.name)
def test_gradients_that_are_not_finite(case: Case, watched: Watched, places: Places) -> None:
    model, loss = case.make()
    assert loss.isfinite()
    loss.backward()
    assert any(is_bad(param) for param in model.parameters())
    watched.names.learn()
    assert_true(case, backward_origin(loss, is_bad, places))


def test_a_mask_that_hides_only_other_classes_is_no_bug() -> None:
    _, loss = masked_target(is_hit=False)
    assert loss.isfinite()


def test_there_are_enough_of_them() -> None:
    assert len(FORWARD) + len(BACKWARD) >= 60


@pytest.mark.parametrize(
    ("birth", "said"),
    [
        (None, ""),
        (BirthFacts("weight", module="a.weight"), "; a.weight was not finite before the forward"),
        (
            BirthFacts("input", "linear", "a"),
            "; what goes into linear in a without a gradient, such as data, targets or a mask, is not finite already",
        ),
        (
            BirthFacts("mask", "softmax", "", "a", "b", "a row of it is masked throughout"),
            "; softmax between a and b is given -inf, as masks are: a row of it is masked throughout",
        ),
        (
            BirthFacts("backward", "exp or sqrt"),
            "; it comes from the slope of exp or sqrt, unless a value on the way was infinite or overflowed",
        ),
        (
            BirthFacts("seen", "exp", "", "a"),
            "; it is first seen in the result of exp after a: what went into that is not kept, or not all of it",
        ),
        (BirthFacts("forward", "log", "2"), "; the first comes from log in 2, whose inputs are finite"),
    ],
)
def test_what_is_said(birth: BirthFacts | None, said: str) -> None:
    assert describe(birth) == said
