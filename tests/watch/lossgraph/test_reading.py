"""How many items a mean is taken over."""

import torch

from surefoot.watch.lossgraph.reading import read_term


def test_a_mean_of_means_is_over_all_their_values() -> None:
    x = torch.ones(6, 4, requires_grad=True)
    for loss in (x.pow(2).mean(), x.pow(2).mean(0).mean(), x.pow(2).mean(1).mean(), x.pow(2).mean(0)[:, None].mean()):
        assert loss.grad_fn is not None
        assert read_term(loss.grad_fn, lambda node: None, thorough=True).num_items == 24
    summed = x.pow(2).sum(1).mean()
    assert summed.grad_fn is not None
    assert read_term(summed.grad_fn, lambda node: None, thorough=True).num_items == 6
