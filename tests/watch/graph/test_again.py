"""Losses that are backwarded alone, and again in a sum."""

from pathlib import Path

import pytest

from tests.watch.graph.program import steps_of, watch

LOOP = """
for _ in range(3):
    x = torch.randn(8, 4)
    y = model(x)
    first, second = F.mse_loss(y, x[:, :1]), y.abs().mean()
    optimizer.zero_grad()
    first.backward(retain_graph=True)
    ({last}).backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("last", "is_again"),
    [
        ("first + second", True),
        ("0.5 * second + 2 * first / 3", True),
        ("second", False),
        ("first.detach() + second", False),
        ("F.mse_loss(y, x[:, :1]) + second", False),  # computed anew: who knows what for
        ("first * second", False),
    ],
)
def test_again(last: str, is_again: bool, tmp_path: Path) -> None:
    _, records, _ = watch(LOOP.format(last=last), tmp_path)
    for now in steps_of(records):
        alone, summed = now.backwards
        assert (alone.again, summed.again) == ((), (alone.ordinal,) if is_again else ())
