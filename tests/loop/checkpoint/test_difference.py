"""A checkpoint of another model or optimizer is refused with the first thing that differs."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from surefoot.loop.checkpoint import first_difference


def program(
    width: int = 3, dtype: torch.dtype = torch.float32, bias: bool = True, make: Callable[..., Any] = torch.optim.Adam
) -> dict[str, Any]:
    model = torch.nn.Sequential(torch.nn.Linear(2, width, bias=bias, dtype=dtype))
    optimizer = make(model.parameters(), lr=0.1)
    return {
        "models": {"model": model.state_dict()},
        "optimizers": {"main": {"kind": type(optimizer).__name__, **optimizer.state_dict()}},
    }


def two_groups(params: Any, lr: float) -> torch.optim.Optimizer:
    return torch.optim.Adam([{"params": [param]} for param in params], lr=lr)


@pytest.mark.parametrize(
    ("present", "said"),
    [
        (program(width=4), "models.model.0.weight has shape (3, 2) in the checkpoint and (4, 2) here"),
        (
            program(dtype=torch.float64),
            "models.model.0.weight is torch.float32 in the checkpoint and torch.float64 here",
        ),
        (program(bias=False), "models.model.0.bias is in the checkpoint but not here"),
        (program(make=torch.optim.AdamW), "optimizers.main.kind is 'Adam' in the checkpoint and 'AdamW' here"),
        (program(make=two_groups), "optimizers.main.param_groups has 1 groups in the checkpoint and 2 here"),
        ({**program(), "scaler": {}}, "scaler is here but not in the checkpoint"),
    ],
)
def test_the_first_difference_is_named(present: dict[str, Any], said: str) -> None:
    assert first_difference(program(), present) == said


def test_optimizers_are_told_apart_by_their_options() -> None:
    saved, present = (
        torch.optim.Adam([torch.ones(1)]).state_dict(),
        torch.optim.SGD([torch.ones(1)], 0.1).state_dict(),
    )
    found = first_difference({"o": saved}, {"o": present})
    assert found == "o.param_groups[0] has 'betas' in the checkpoint but not here: another optimizer"


def test_number_of_parameters() -> None:
    saved, present = (torch.optim.SGD([torch.ones(1)] * n, 0.1).state_dict() for n in (1, 1))
    present["param_groups"][0]["params"] = [0, 1]
    found = first_difference({"o": saved}, {"o": present})
    assert found == "o.param_groups[0] has 1 parameters in the checkpoint and 2 here"


def test_words_in_groups() -> None:
    saved, present = ({"param_groups": [{"params": [0], "name": name}], "state": {}} for name in ("head", "body"))
    assert first_difference({"o": saved}, {"o": present}) == (
        "o.param_groups[0].name is 'head' in the checkpoint and 'body' here"
    )


def test_lists_of_parts() -> None:
    assert first_difference({"s": [{"a": 1}]}, {"s": [{"a": 1}, {"a": 1}]}) == (
        "s has 1 entries in the checkpoint and 2 here"
    )


def test_numbers_may_differ_and_a_fresh_optimizer_fits() -> None:
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    fresh = torch.optim.Adam(model.parameters(), lr=0.3)
    fresh.param_groups[0]["new option"] = True
    saved, present = {"o": optimizer.state_dict(), "n": [1, 2]}, {"o": fresh.state_dict(), "n": [3]}
    assert first_difference(saved, present) is None
