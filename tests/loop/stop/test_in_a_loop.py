"""Conditions and schedules at work in a loop: at once, also inside an epoch."""

import pytest
import torch
from torch.nn.functional import mse_loss

import surefoot as sf
from surefoot.loop.stop import Condition

X = torch.linspace(-1, 1, 80).reshape(20, 4, 1)
BATCHES = [(x, 2 * x) for x in X]  # 20 of 4


def train(stop: Condition, epochs: int = 3) -> sf.Loop:
    torch.manual_seed(0)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    scheduler = sf.schedule.warmup_cosine(optimizer, warmup=4, updates=20 * epochs, floor=0.1)
    loop = sf.Loop(model, optimizer, scheduler=scheduler, stop=stop)
    loop.fit(BATCHES, mse_loss, epochs=epochs, validate=BATCHES)
    return loop


@pytest.mark.parametrize(
    ("stop", "updates", "reason"),
    [
        (sf.stop.after(updates=27), 27, "update 27 of at most 27 is done"),
        (sf.stop.after(epochs=2), 40, "epoch 2 of at most 2 is done, at update 40"),
        (sf.stop.above("val/loss", 1e-9) & sf.stop.after(updates=23), 23, "val/loss "),
        (sf.stop.below("val/loss", 1e9), 20, "val/loss "),
        (sf.stop.above("loss", 1e9) | sf.stop.below("val/loss", 0.0), 60, None),
    ],
)
def test_the_run_ends_where_the_condition_holds(stop: Condition, updates: int, reason: str | None) -> None:
    stop.reset()
    loop = train(stop)
    assert loop.num_updates == updates
    assert loop.stopped is None if reason is None else (loop.stopped or "").startswith(reason)


def test_a_threshold_is_met_inside_an_epoch() -> None:
    loop = train(sf.stop.below("loss", 0.05))
    assert loop.num_updates % 20 > 0
    assert loop.stopped == f"loss {loop.stopped.split()[1]} is below 0.05 at update {loop.num_updates}"
