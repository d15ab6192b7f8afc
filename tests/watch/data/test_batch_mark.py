"""Marks of batches."""

from collections import UserDict
from typing import Any

import pytest
import torch

from surefoot.watch.data.batch_mark import MOST_TENSORS, UNREAD, mark_of, marks_of


def test_equal_tensors_have_equal_marks_and_others_do_not() -> None:
    x = torch.randn(16, 3, 8, 8)
    assert mark_of(x) == mark_of(x.clone()) != UNREAD
    assert mark_of(x) == mark_of(x.flatten(1)), "shapes are not part of it: models flatten their input"
    assert mark_of(x) != mark_of(x + 1)
    assert mark_of(x) != mark_of(x[:8])


def test_views_are_read_without_a_copy_of_all() -> None:
    x = torch.arange(64).view(8, 8)
    assert mark_of(x.t()) == mark_of(x.t().contiguous()) != mark_of(x)


@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.uint8, torch.int64, torch.bfloat16, torch.float64, torch.complex64]
)
def test_dtypes(dtype: torch.dtype) -> None:
    a, b = torch.tensor([0, 1] * 8).to(dtype), torch.tensor([1, 0] * 8).to(dtype)
    assert mark_of(a) == mark_of(a.clone()) != mark_of(b)


def test_not_a_number_is_equal_to_itself() -> None:
    x = torch.full((10,), torch.nan)
    assert mark_of(x) == mark_of(x.clone()) != UNREAD


@pytest.mark.parametrize(
    "tensor",
    [
        torch.ones(3),  # equal by chance
        torch.empty(0),
        torch.ones(20, device="meta"),
        torch.ones(4, 5).to_sparse(),
        torch.nn.Parameter(torch.ones(20)),
    ],
    ids=["small", "empty", "meta", "sparse", "subclass"],
)
def test_what_is_not_read(tensor: torch.Tensor) -> None:
    assert mark_of(tensor) == UNREAD


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_kinds_that_refuse_are_not_read() -> None:
    assert mark_of(torch.nested.nested_tensor([torch.ones(20), torch.ones(10)])) == UNREAD


@pytest.mark.parametrize(
    "batch", [lambda x, y: (x, y), lambda x, y: [x, [y]], lambda x, y: {"a": x, "b": {"c": y}},
              lambda x, y: UserDict(a=x, b=y), lambda x, y: ("name", None, x, 3, y)],
)  # fmt: skip
def test_tensors_are_found_in_containers_in_their_order(batch: Any) -> None:
    x, y = torch.randn(16), torch.arange(16)
    assert marks_of(batch(x, y)) == (mark_of(x), mark_of(y))


def test_a_bound_on_tensors_and_what_is_no_container() -> None:
    assert len(marks_of([torch.ones(9)] * 100)) == MOST_TENSORS
    assert marks_of("text") == marks_of(None) == marks_of(3) == ()


def test_nothing_is_touched() -> None:
    x = torch.randn(16, requires_grad=True)
    state, version = torch.get_rng_state(), x._version
    mark_of(x)
    assert x._version == version and x.grad_fn is None and torch.equal(torch.get_rng_state(), state)
