"""Batches by indexing: what a DataLoader gives, without taking it apart."""

import pytest
import torch
from torch import Tensor

import surefoot as sf
from surefoot.loop.feed import Feed

X = torch.arange(10)
Y = X * 10


def test_in_order() -> None:
    loader = sf.TensorBatches(X, Y, batch_size=4)
    assert [x.tolist() for x, _ in loader] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert [y.tolist() for _, y in loader][2] == [80, 90]
    assert len(loader) == 3
    assert len(sf.TensorBatches(X, batch_size=4, drop_last=True)) == 2
    assert [x.tolist() for x in sf.TensorBatches(X, batch_size=4, drop_last=True)] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_another_order_in_every_pass() -> None:
    torch.manual_seed(0)
    loader = sf.TensorBatches(X, Y, batch_size=4, shuffle=True)
    passes = [torch.cat([x for x, _ in loader]).tolist() for _ in range(2)]
    assert passes[0] != passes[1]
    assert sorted(passes[0]) == sorted(passes[1]) == X.tolist()
    assert all(torch.equal(10 * x, y) for x, y in loader)


def test_parts_for_ranks_make_up_the_whole() -> None:
    def part(rank: int) -> list[int]:
        generator = torch.Generator().manual_seed(3)
        loader = sf.TensorBatches(X, batch_size=2, shuffle=True, generator=generator, part=(rank, 3))
        assert len(loader) == 2
        found: list[int] = torch.cat([x for x in loader if isinstance(x, Tensor)]).tolist()
        return found

    assert sorted(part(0) + part(1) + part(2)) == X.tolist()
    assert [x.tolist() for x in sf.TensorBatches(X, batch_size=9, part=(1, 2))] == [[1, 3, 5, 7, 9]]


@pytest.mark.parametrize("own", [True, False])
def test_it_can_be_gone_on_with(own: bool) -> None:
    def drawn(feed: Feed) -> list[list[int]]:
        return [batch.tolist() for _ in feed.epochs() for batch in feed.batches()]

    def loader() -> sf.TensorBatches:
        return sf.TensorBatches(X, batch_size=3, shuffle=True, generator=torch.Generator() if own else None)

    torch.manual_seed(0)
    whole = drawn(Feed(loader(), 3))
    torch.manual_seed(0)
    feed = Feed(loader(), 3)
    before = []
    state = {}
    for _ in feed.epochs():
        for batch in feed.batches():
            before.append(batch.tolist())
            if len(before) == 6:
                state = feed.state()
                rng = torch.get_rng_state()
    torch.rand(5)
    again = Feed(loader(), 3)
    again.restore(state)
    torch.set_rng_state(rng)
    assert drawn(again) == whole[6:]


def test_mistakes() -> None:
    with pytest.raises(ValueError, match="one length, got"):
        sf.TensorBatches(X, X[:3], batch_size=2)
    with pytest.raises(ValueError, match="got no tensors"):
        sf.TensorBatches(batch_size=2)
    with pytest.raises(ValueError, match="batch_size must be a whole number, at least 1"):
        sf.TensorBatches(X, batch_size=0)
    with pytest.raises(ValueError, match="part must be"):
        sf.TensorBatches(X, batch_size=1, part=(2, 2))
