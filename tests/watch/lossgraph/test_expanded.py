"""Square targets that were expanded over the batch, told by their values."""

import torch

from surefoot.watch.lossgraph.expanded import is_outer, is_spread, shape_of_constant


def test_sums_and_products_of_two_vectors_are_spread() -> None:
    torch.manual_seed(0)
    reward, value = torch.randn(16, 1), torch.randn(16)
    ends = (torch.rand(16, 1) > 0.5).float()
    for target in (reward + value, reward * value, reward + 0.9 * value * ends, (reward + value * ends).t()):
        assert is_spread(target, (16, 1)) and is_spread(target, (16,))


def test_other_square_targets_are_not() -> None:
    torch.manual_seed(0)
    rows = torch.randn(16, 1)
    one_differs = rows.expand(16, 16).clone()
    one_differs[3, 5] = 4.0
    for target in (torch.randn(16, 16), rows.expand(16, 16), one_differs, torch.eye(16), torch.zeros(16, 16)):
        assert not is_spread(target, (16, 1))
    assert not is_spread(torch.randn(2, 1) + torch.randn(2), (2, 1))  # too few to tell
    assert not is_spread(rows + torch.randn(16), (16, 16))  # as many predictions
    assert not is_spread(torch.arange(16)[:, None] + torch.arange(16), (16, 1))
    assert not is_spread(None, (16, 1))


def test_the_target_in_a_difference() -> None:
    torch.manual_seed(0)
    prediction, target = torch.randn(8, 1), torch.randn(8)
    assert shape_of_constant(prediction - target, (8, 1), (8, 8)) == (8,)
    assert shape_of_constant(prediction - target * (prediction > 0), (8, 1), (8, 8)) == (8, 8)
    assert shape_of_constant(prediction - torch.randn(8, 8), (8, 1), (8, 8)) is None


def test_all_values_of_a_map_meet_all_of_the_target() -> None:
    torch.manual_seed(0)
    prediction, shape = torch.randn(8, 3, 1, 1), (8, 3, 8, 3)
    assert is_outer(prediction - torch.randn(8, 3), (8, 3, 1, 1), shape)
    assert not is_outer(prediction - torch.randn(shape), (8, 3, 1, 1), shape)
    assert not is_outer(prediction - torch.randn(8, 3, 4, 4), (8, 3, 1, 1), (8, 3, 4, 4))
