"""The autograd graph tells what lies before and behind trained parameters."""

import torch
from torch import Tensor, nn

from surefoot.watch.inventory import discovery
from surefoot.watch.inventory.discovery import Reach, explore


def look(loss: Tensor, trained: nn.Module) -> Reach:
    ids = {id(p) for p in trained.parameters()}
    return explore([loss], lambda leaf: id(leaf) in ids)


def ids(*modules: nn.Module) -> set[int]:
    return {id(p) for module in modules for p in module.parameters()}


def test_before_and_behind_in_a_chain() -> None:
    first, norm, last = nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 2)
    loss = last(norm(first(torch.randn(5, 4))).relu()).sum()
    reach = look(loss, norm)
    assert set(reach.leaves) == ids(first, norm, last) and reach.whole
    assert reach.before_trained == ids(first)
    assert reach.after_trained == ids(last)


def test_an_embedding_lies_before_the_layer_that_reads_it() -> None:
    embed, fc = nn.Embedding(5, 4), nn.Linear(4, 2)
    loss = fc(embed(torch.tensor([1, 2]))).sum()
    assert look(loss, fc).before_trained == ids(embed)
    assert look(loss, embed).after_trained == ids(fc)


def test_a_function_of_a_parameter_works_where_it_is_used() -> None:
    model, scale = nn.Linear(4, 2), nn.Parameter(torch.zeros(()))
    loss = (model(torch.randn(3, 4)) * scale.exp()).sum()
    assert id(scale) in look(loss, model).after_trained


def test_branches_side_by_side_are_neither() -> None:
    left, right = nn.Linear(4, 2), nn.Linear(4, 2)
    x = torch.randn(3, 4)
    reach = look((left(x) * right(x)).sum(), left)
    assert reach.before_trained == reach.after_trained == set()


def test_a_shared_layer_is_both() -> None:
    shared, other = nn.Linear(4, 4), nn.Linear(4, 4)
    reach = look(shared(other(shared(torch.randn(3, 4)))).sum(), other)
    assert reach.before_trained >= ids(shared) and reach.after_trained >= ids(shared)


def test_a_graph_too_large_is_left_half_read() -> None:
    old, discovery.MAX_NODES = discovery.MAX_NODES, 10
    try:
        x = torch.ones(1, requires_grad=True)
        for _ in range(50):
            x = x * 2
        assert not explore([x], lambda leaf: True).whole
    finally:
        discovery.MAX_NODES = old


def test_a_tensor_without_graph_reaches_nothing() -> None:
    assert explore([torch.ones(1)], lambda leaf: True).leaves == {}
