"""The largest micro-batch: known needs, exact splits, nothing left behind."""

from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, mse_loss

import surefoot as sf
from surefoot.lab.memory.peak import LiveBytes
from surefoot.lab.memory.search import Need, agree, largest_that_fits, largest_within, lines_of, split
from tests.lab.problems import quiet_loop, state_of

WIDTH = 512


def make(**settings: Any) -> tuple[sf.Loop, nn.Module, list[Any]]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, WIDTH), nn.Tanh(), nn.Linear(WIDTH, 4))
    loop = quiet_loop(model, torch.optim.Adam(model.parameters()), **settings)
    return loop, model, [(torch.randn(8, 16), torch.randint(4, (8,))) for _ in range(3)]


def test_the_bytes_of_an_item() -> None:
    """Per item at the peak: its data, the hidden layer before and after Tanh, a gradient or two of it, the outputs."""
    loop, _, loader = make()
    found = sf.fit_batch(loop, loader, cross_entropy, limit=100_000_000)
    assert found.bytes_per_item is not None and found.fixed_bytes is not None
    assert 2 * 4 * WIDTH < found.bytes_per_item < 5 * 4 * WIDTH
    num_params = 16 * WIDTH + WIDTH + 4 * WIDTH + 4
    assert 2 * 4 * num_params < found.fixed_bytes < 4 * 4 * num_params  # two states of Adam, and gradients
    assert found.fixed_bytes + found.largest * found.bytes_per_item <= 100_000_000
    assert found.fixed_bytes + (found.largest + 2) * found.bytes_per_item > 100_000_000
    assert found.batch == 8 and found.accumulate == 1  # what it is now, which fits
    assert "items a second" in str(found)


def test_what_was_computed_holds_when_it_is_run() -> None:
    loop, model, _ = make()
    limit = 4_000_000
    found = sf.fit_batch(loop, make()[2], cross_entropy, limit=limit, effective=4096)
    assert found.largest * found.accumulate >= 4096 and found.batch <= found.largest
    optimizer = torch.optim.Adam(model.parameters())
    x, y = torch.randn(found.largest, 16), torch.randint(4, (found.largest,))
    with LiveBytes() as peak:
        for _ in range(2):
            cross_entropy(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()
    assert 0.97 * limit < peak.peak + x.nbytes + y.nbytes < 1.01 * limit


class Varying(nn.Module):
    """Does more with larger batches: nothing can be foretold from small ones."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(16, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.layer(x)
        for _ in range(len(x) // 8):
            out = out + torch.tanh(out)
        return out


def test_what_can_not_be_foretold_is_measured() -> None:
    model = Varying()
    loop = quiet_loop(model, torch.optim.SGD(model.parameters(), lr=0.1))
    found = sf.fit_batch(loop, make()[2], cross_entropy, limit=1_000_000)
    assert found.bytes_per_item is None
    assert found.largest in found.items_per_second  # it was run
    assert "computed" not in str(found)


def test_nothing_is_left_behind() -> None:
    loop, model, loader = make(accumulate=2)
    before = state_of(model.state_dict(), next(iter(loop.optimizers.values())).state_dict(), torch.get_rng_state())
    found = sf.fit_batch(loop, loader, cross_entropy, limit=10_000_000, most=64)
    assert found.effective == 16
    after = state_of(model.state_dict(), next(iter(loop.optimizers.values())).state_dict(), torch.get_rng_state())
    assert after == before


def test_limits() -> None:
    loop, _, loader = make()
    assert sf.fit_batch(loop, loader, cross_entropy, limit=10**12, most=32).is_most
    assert sf.fit_batch(loop, loader, cross_entropy, most=4).largest == 4  # of the memory that is free
    with pytest.raises(ValueError, match="nothing fits"):
        sf.fit_batch(loop, loader, cross_entropy, limit=1000)
    for settings in ({"limit": 0}, {"effective": -1}, {"most": 1.5}):
        with pytest.raises(ValueError, match="whole number"):
            sf.fit_batch(loop, loader, cross_entropy, **settings)
    with pytest.raises(TypeError, match="no tensor"):
        sf.fit_batch(loop, ["text"], mse_loss)
    with pytest.raises(ValueError, match="at least one batch"):
        sf.fit_batch(loop, [], mse_loss)


@pytest.mark.parametrize("most_that_fits", [0, 1, 5, 37, 4000])
def test_trying(most_that_fits: int) -> None:
    found = largest_that_fits(lambda num: num <= most_that_fits, 1, 65_536)
    assert most_that_fits * 15 / 16 <= found <= most_that_fits
    assert largest_that_fits(lambda num: True, 1, 100) == 100


@pytest.mark.parametrize(
    ("effective", "largest", "parts"),
    [(256, 300, (256, 1)), (256, 100, (64, 4)), (100, 40, (25, 4)), (97, 40, (33, 3)), (7, 1, (1, 7))],
)  # fmt: skip
def test_splitting(effective: int, largest: int, parts: tuple[int, int]) -> None:
    assert split(effective, largest) == parts


def test_lines() -> None:
    """One moment needs much, whatever the batch; another little, and more with each item."""
    lines = lines_of(Need(2, (100, 30)), Need(4, (100, 50)))
    assert lines is not None
    assert agree(lines, Need(8, (100, 90))) and not agree(lines, Need(8, (100, 120)))
    assert largest_within(1000, lines, 500) == 99
    assert largest_within(1000, lines, 50) == 50
    assert largest_within(90, lines, 50) == 0
    assert lines_of(Need(2, (100,)), Need(4, (100, 50))) is None


def test_peaks() -> None:
    held = torch.zeros(1000)
    with LiveBytes() as peak:
        view = held[:500]
        first = torch.ones(1000)
        del first
        second = torch.ones(500) + view
    assert peak.peak == 4000 and peak.now == 2000
    assert second.numel() == 500
