"""Frozen parameters that a step moves."""

from pathlib import Path

from tests.watch.inventory.test_setup_probe import records_of, steps

LOOP = """
body, head = nn.Linear(4, 8), nn.Linear(8, 1)
optimizer = torch.optim.{optimizer}
for step in range(10):
    if step == 4:
        body.requires_grad_(False)
    {clear}
    head(body(torch.randn(8, 4)).relu()).pow(2).mean().backward()
    optimizer.step()
"""
ADAM, SGD = (
    "Adam([*body.parameters(), *head.parameters()], lr=0.01)",
    "SGD([*body.parameters(), *head.parameters()], lr=0.01)",
)
KEEP, DROP = "optimizer.zero_grad(set_to_none=False)", "optimizer.zero_grad()"


def moved(tmp_path: Path, optimizer: str, clear: str) -> dict[int, tuple[str, ...]]:
    records = records_of(LOOP.format(optimizer=optimizer, clear=clear), tmp_path / "program.py")
    return {step.update: step.frozen_moved for step in steps(records) if step.frozen_moved}


def test_averages_move_what_was_frozen(tmp_path: Path) -> None:
    found = moved(tmp_path, ADAM, KEEP)
    assert min(found) == 6  # told with the step after the one that moved it
    assert found[6] == ("body.weight", "body.bias")


def test_nothing_moves_without_gradient_or_state(tmp_path: Path) -> None:
    assert not moved(tmp_path, ADAM, DROP)
    assert not moved(tmp_path, SGD, KEEP)
