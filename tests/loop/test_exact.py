"""The loop computes what a plain loop computes, bit for bit, and windows what one large batch would."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch.optim.lr_scheduler import StepLR

import surefoot as sf
from tests.loop.training import (
    Probe,
    all_equal,
    make_batches,
    make_model,
    one_hot_batches,
    plain_loop,
    weights,
    windows,
)

pytestmark = pytest.mark.usefixtures("silent_sanitizer")

OPTIMIZERS = {
    "sgd": lambda params: torch.optim.SGD(params, lr=0.1, momentum=0.9),
    "adamw": lambda params: torch.optim.AdamW(params, lr=0.01),
    "fused": lambda params: torch.optim.AdamW(params, lr=0.01, fused=True),
    "rmsprop": lambda params: torch.optim.RMSprop(params, lr=0.01),
}


@pytest.mark.parametrize("clip_norm", [None, 0.5])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_where_nothing_special_is_asked_it_is_the_plain_loop(name: str, clip_norm: float | None) -> None:
    batches = make_batches([8, 8, 8, 5])
    model = make_model(dropout=0.2)
    optimizer = OPTIMIZERS[name](model.parameters())
    plain_loop(model, optimizer, batches, 3, clip_norm=clip_norm, scheduler=StepLR(optimizer, 5, 0.5))
    ours = make_model(dropout=0.2)
    optimizer = OPTIMIZERS[name](ours.parameters())
    loop = sf.Loop(ours, optimizer, clip_norm=clip_norm, scheduler=StepLR(optimizer, 5, 0.5))
    for x, y in loop.batches(batches, epochs=3):
        with loop.step() as step:
            step.backward(F.cross_entropy(ours(x), y))
    assert all_equal(weights(model), weights(ours))
    assert loop.num_updates == 12


def test_fit_is_the_same_loop() -> None:
    batches = make_batches([8, 8, 8, 5])
    model, ours = make_model(), make_model()
    plain_loop(model, torch.optim.SGD(model.parameters(), lr=0.1), batches, 3)
    sf.Loop(ours, torch.optim.SGD(ours.parameters(), lr=0.1)).fit(batches, F.cross_entropy, epochs=3)
    assert all_equal(weights(model), weights(ours))


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("accumulate", [2, 3, 4])
def test_a_window_is_one_large_batch(accumulate: int, given: bool) -> None:
    batches = make_batches([7, 5, 3, 1, 8, 8, 2, 4, 4, 6], dtype=torch.float64)
    model, ours = make_model(dtype=torch.float64), make_model(dtype=torch.float64)
    plain_loop(model, torch.optim.SGD(model.parameters(), lr=0.1), windows(batches, accumulate), 3, clip_norm=0.3)
    loop = sf.Loop(ours, torch.optim.SGD(ours.parameters(), lr=0.1), accumulate=accumulate, clip_norm=0.3)
    for x, y in loop.batches(batches, epochs=3):
        with loop.step(weight=len(y) if given else None) as step:
            step.backward(F.cross_entropy(ours(x), y))
    for a, b in zip(weights(model), weights(ours), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-14)


def test_ragged_micro_batches_count_by_their_items() -> None:
    model = Probe(4)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=1.0), accumulate=4)
    for x in loop.batches(one_hot_batches([7, 5, 3, 1])):
        with loop.step() as step:
            step.backward(model(x).mean())
    assert model.w.tolist() == [-0.4375, -0.3125, -0.1875, -0.0625]


def test_the_last_window_of_an_epoch_counts_what_it_has() -> None:
    model = Probe(10)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=1.0), accumulate=4)
    for x in loop.batches(one_hot_batches([3] * 10)):
        with loop.step() as step:
            step.backward(model(x).mean())
    assert model.w.tolist() == [-0.25] * 8 + [-0.5] * 2
    assert loop.num_updates == 3


def test_ignored_tokens_do_not_count() -> None:
    torch.manual_seed(0)
    targets = [torch.randint(3, (6,)) for _ in range(3)]
    targets[0][:5] = -100
    targets[1][:2] = -100
    inputs = [torch.randn(6, 4, dtype=torch.float64) for _ in range(3)]
    ours, model = make_model(dtype=torch.float64), make_model(dtype=torch.float64)
    loop = sf.Loop(ours, torch.optim.SGD(ours.parameters(), lr=0.5), accumulate=3)
    loop.fit(list(zip(inputs, targets, strict=True)), F.cross_entropy, epochs=1)
    whole = [(torch.cat(inputs), torch.cat(targets))]
    plain_loop(model, torch.optim.SGD(model.parameters(), lr=0.5), whole, 1)
    for a, b in zip(weights(model), weights(ours), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.bad_program
def test_a_micro_batch_of_ignored_tokens_only_counts_nothing() -> None:
    batches = make_batches([6, 6, 6])
    ours, model = make_model(), make_model()
    ignored = (batches[1][0], torch.full((6,), -100))
    loop = sf.Loop(ours, torch.optim.SGD(ours.parameters(), lr=0.5), accumulate=3)
    loop.fit([ignored, batches[0], ignored], F.cross_entropy, epochs=1)
    plain_loop(model, torch.optim.SGD(model.parameters(), lr=0.5), batches[:1], 1)
    for a, b in zip(weights(model), weights(ours), strict=True):
        torch.testing.assert_close(a, b)


def test_half_precision_with_large_weights_does_not_overflow() -> None:
    batches = make_batches([4, 4, 4, 4])
    ours = make_model()
    before = weights(ours)
    loop = sf.Loop(ours, torch.optim.SGD(ours.parameters(), lr=0.1), accumulate=4, precision="fp16", clip_norm=10.0)
    for x, y in loop.batches(batches):
        with loop.step(weight=1e6) as step:
            step.backward(F.cross_entropy(ours(x), y))
    model = make_model()
    plain_loop(model, torch.optim.SGD(model.parameters(), lr=0.1), windows(batches, 4), 1)
    assert (loop.num_updates, loop.num_skipped) == (1, 0)
    for start, a, b in zip(before, weights(model), weights(ours), strict=True):
        torch.testing.assert_close(a - start, b - start, rtol=2e-2, atol=1e-4)
