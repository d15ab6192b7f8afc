"""Dropout layers that stay off after an evaluation."""

from collections.abc import Callable

import torch
from torch import nn

from surefoot.facts import LostDropoutFacts, SetupFacts
from tests.watch.mode.program import train
from tests.watch.watching import watching


def lost(
    back: Callable[[nn.Sequential], object], prepare: Callable[[nn.Sequential], object] = id
) -> LostDropoutFacts | None:
    """Train a model in two parts, evaluate it, go back to training in this way, and train on."""
    with watching() as watched:
        torch.manual_seed(0)
        parts = [nn.Sequential(nn.Linear(n, 8), nn.ReLU(), nn.Dropout(0.2)) for n in (4, 8)]
        model = nn.Sequential(*parts, nn.Linear(8, 1))
        prepare(model)
        optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.01)
        train(model, optimizer, 5)
        model.eval()
        with torch.no_grad():
            model(torch.randn(8, 4))
        back(model)
        train(model, optimizer, 12)
        watched.emit_end("end")
    return [record for record in watched.records if isinstance(record, SetupFacts)][-1].lost_dropout


def test_a_part_that_stays_off() -> None:
    facts = lost(lambda model: model[1].train())
    assert facts is not None and facts.num_layers == 1 and facts.num_steps == 8 and facts.holder == "Sequential"
    assert facts.site is not None and facts.site.function == "lost"


def test_all_is_back() -> None:
    assert lost(lambda model: model.train()) is None
    assert lost(lambda model: [part.train() for part in model]) is None


def test_all_stays_off() -> None:  # training-in-eval-mode
    assert lost(lambda model: None) is None


def test_switched_off_on_purpose() -> None:
    assert lost(lambda model: (model.train(), model[0].eval())) is None
    assert lost(lambda model: model[1].train(), prepare=lambda model: model[0].eval()) is None
    assert lost(lambda model: model[1].train(), prepare=lambda model: model[0].requires_grad_(False)) is None
