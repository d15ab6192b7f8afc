import torch
from torch import nn

from surefoot.signals.equal_rows import FEWEST_MOVES, EqualRows


def step(rows: EqualRows, param: nn.Parameter, grad: torch.Tensor) -> list[int]:
    param.grad = grad
    found = rows.look({0: param})
    with torch.no_grad():
        param.sub_(0.1 * grad)
    return found


def test_rows_that_begin_and_stay_equal_are_found_once_they_have_moved() -> None:
    param = nn.Parameter(torch.full((4, 3), 0.1))
    rows = EqualRows([(0, param)])
    seen = [step(rows, param, torch.tensor([[1.0, 2.0, 3.0]]).expand(4, 3).clone()) for _ in range(FEWEST_MOVES + 1)]
    assert seen == [[], [], [0], [0]]


def test_rows_that_part_are_forgotten() -> None:
    param = nn.Parameter(torch.zeros(4, 3))
    rows = EqualRows([(0, param)])
    assert not any(step(rows, param, torch.randn(4, 3)) for _ in range(6))


def test_rows_without_gradient_do_not_count() -> None:
    param = nn.Parameter(torch.ones(4, 3))
    rows = EqualRows([(0, param)])
    grad = torch.zeros(4, 3)
    grad[0] = 1.0
    param.grad = grad
    for _ in range(6):
        assert rows.look({0: param}) == []
        with torch.no_grad():
            param.mul_(0.9)  # decay moves all rows alike


def test_vectors_and_single_rows_have_no_rows_to_compare() -> None:
    vector, single = nn.Parameter(torch.ones(4)), nn.Parameter(torch.ones(1, 4))
    rows = EqualRows([(0, vector), (1, single)])
    assert rows.look({0: vector, 1: single}) == []
