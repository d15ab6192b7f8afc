import math

import pytest
import torch
from torch import nn

from surefoot.facts import Record, SignalFacts
from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer import Sanitizer
from surefoot.signals import rhythm
from surefoot.signals.unrest import LATELY, MOST, TIMES, Unrest
from surefoot.watch import sample
from surefoot.watch.settings import Settings


def heard(unrest: Unrest, *losses: float) -> list[int]:
    return [i for i, loss in enumerate(losses) if unrest.hears(loss)]


def test_a_loss_that_rises_far_above_its_best_is_heard_once() -> None:
    risen = [TIMES] * LATELY
    assert heard(Unrest(), *[1.0] * 20, *risen, *risen) == [19 + LATELY // 2 + 1], "once half of them are risen"


@pytest.mark.parametrize(
    "losses",
    [
        [10.0 / (i + 1) for i in range(50)],
        [1.0] * 20 + [50.0, math.nan, math.inf] + [1.0] * 20,  # one bad batch
        [1.0, 2.9] * 20,
        [-5.0] * 20 + [5.0] * 20,
    ],
)
def test_other_courses_are_not(losses: list[float]) -> None:
    assert not heard(Unrest(), *losses)


def test_it_is_heard_a_few_times_at_most() -> None:
    assert len(heard(Unrest(), *[10.0 ** (i // 10) for i in range(90)])) == MOST


def test_a_run_that_is_hardly_measured_any_more_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SAMPLE_CREDIT", "RECORD_CREDIT", "SAMPLE_SHARE", "RECORD_SHARE"):
        monkeypatch.setattr(rhythm, name, 1e-12)
    monkeypatch.setattr(sample, "SPACING_SECONDS", 0.0)
    records: list[Record] = []
    sanitizer = Sanitizer(catalogue().values(), settings=Settings(0.02), on_record=records.append)
    sanitizer.start()
    torch.manual_seed(0)
    model, x = nn.Linear(4, 1), torch.randn(32, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for i in range(300):
        optimizer.param_groups[0]["lr"] = 0.05 if i < 200 else 1.5
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)) + 0.1
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    sanitizer.finish()
    measured = [record.index for record in records if isinstance(record, SignalFacts)]
    assert not [step for step in measured if 40 < step <= 200], "all is calm"
    assert 204 < next(step for step in measured if step > 200) <= 240, "after half of the last losses have risen"
