"""batchnorm-tiny-batch, frozen-batchnorm-drifts and batchnorm-under-accumulation."""

from dataclasses import replace

import pytest

from surefoot.facts import DriftFacts, ModeFacts, Site, TinyBatchFacts
from surefoot.rules.mode import batchnorm_tiny_batch, batchnorm_under_accumulation, frozen_batchnorm_drifts
from tests.rules.mode.build import BACKWARD, FORWARD, ask, step


def tiny(num_tiny: int, num_forwards: int) -> ModeFacts:
    facts = TinyBatchFacts("body.1", values_per_channel=2, num_tiny=num_tiny, num_forwards=num_forwards, site=FORWARD)
    return ModeFacts(tiny_batch=facts)


def test_most_batches_are_tiny() -> None:
    (found,) = ask(batchnorm_tiny_batch.check, step(tiny(6, 10)))
    assert found.site == FORWARD
    assert "body.1 trained on 2 values per channel; 6 of 10" in found.message


@pytest.mark.parametrize("mode", [None, ModeFacts(), tiny(2, 2), tiny(5, 10)])
def test_a_short_batch_now_and_then(mode: ModeFacts | None) -> None:
    assert ask(batchnorm_tiny_batch.check, step(mode)) == []


DRIFT = DriftFacts("body.1", num_layers=3, num_forwards=4, num_steps=4, shift=0.5, site=FORWARD)


def test_frozen_layers_that_move() -> None:
    (found,) = ask(frozen_batchnorm_drifts.check, step(ModeFacts(drift=DRIFT)))
    assert found.site == FORWARD
    assert "body.1 and 2 more has frozen weights" in found.message
    assert "0.5 standard deviations" in found.message


@pytest.mark.parametrize(
    "drift",
    [None, replace(DRIFT, num_forwards=3), replace(DRIFT, num_steps=3), replace(DRIFT, under_no_grad=True)],
)
def test_too_early_to_say(drift: DriftFacts | None) -> None:
    assert ask(frozen_batchnorm_drifts.check, step(ModeFacts(drift=drift))) == []


def test_micro_batches_are_normalised_by_themselves() -> None:
    (found,) = ask(batchnorm_under_accumulation.check, step(ModeFacts(num_batchnorm_trained=2), num_backwards=4))
    assert found.site == BACKWARD
    assert found.numbers == {"micro_batches": 4, "batchnorm_layers": 2}


def test_one_backward_no_batchnorm_or_different_losses() -> None:
    rule = batchnorm_under_accumulation.check
    assert ask(rule, step(ModeFacts(num_batchnorm_trained=2))) == []
    assert ask(rule, step(ModeFacts(), num_backwards=4)) == []
    two = step(ModeFacts(num_batchnorm_trained=2), num_backwards=2)
    apart = tuple(replace(b, site=Site("train.py", 50 + b.ordinal)) for b in two.backwards)
    assert ask(rule, replace(two, events=apart)) == []
