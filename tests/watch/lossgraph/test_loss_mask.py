"""What a mask leaves of the losses of all elements."""

from pathlib import Path

import pytest

from tests.watch.lossgraph.test_loss_probe import loss_of

SQUARES = "F.mse_loss(model(x), t, reduction='none')"
MASK = "(torch.arange(6) < 2).float()[:, None].expand(6, 5)"


@pytest.mark.parametrize(
    ("expression", "kept"),
    [
        (f"({SQUARES} * {MASK}).sum() / {MASK}.sum()", 10),
        (f"({MASK} * {SQUARES}).mean()", 10),
        (f"({SQUARES} * {MASK}[:, :1]).sum()", 10),
        (f"{SQUARES}.masked_fill({MASK} == 0, 0.0).sum()", 10),
        (f"torch.where({MASK} > 0, {SQUARES}, torch.zeros(6, 5)).sum()", 10),
        (f"torch.where({MASK} == 0, torch.zeros(6, 5), {SQUARES}).sum()", 10),
        (f"({SQUARES}.mean(1) * {MASK}[:, 0]).mean()", 2),
        (f"({SQUARES}.sum(1) * {MASK}[:, 0]).sum()", 2),
        (f"({SQUARES} * {MASK}).sum(1).mean()", None),
        (f"({SQUARES} * 2 * {MASK}).sum()", None),  # weighted, too
        (f"({SQUARES} * torch.rand(6, 5)).sum()", None),
        (f"(({SQUARES} * {MASK}).sum(1) / 5).mean()", None),
        (f"({SQUARES}[:1] * {MASK}[:1]).sum()", None),  # a single sequence
        (f"{SQUARES}.mean()", None),
    ],
)
def test_elements_that_are_kept(expression: str, kept: int | None, tmp_path: Path) -> None:
    assert loss_of(expression, tmp_path / "program.py").num_kept == kept
