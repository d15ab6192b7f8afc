"""Steps that are not recorded still have their loss sampled, asleep and awake."""

import pytest
import torch

from surefoot.facts import StepFacts
from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer import Sanitizer
from surefoot.watch import sample

NUM_STEPS = 150
Sample = tuple[int, int, float, float]  # optimizer, step, loss, rate


class Watched:
    """Samples and recorded steps of a program."""

    def __init__(self) -> None:
        self.samples: list[Sample] = []
        self.recorded: set[int] = set()
        self.failures: list[str] = []
        self.sanitizer = Sanitizer(
            catalogue().values(),
            on_record=lambda record: self.recorded.add(record.index) if isinstance(record, StepFacts) else None,
            on_failure=lambda name, error: self.failures.append(f"{name}: {error!r}"),
        )
        self.sanitizer.recorder.on_sample = lambda *one: self.samples.append(one)

    def __enter__(self) -> "Watched":
        self.sanitizer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.sanitizer.finish()


def make(num: int) -> list[tuple[torch.nn.Module, torch.optim.Optimizer]]:
    torch.manual_seed(0)
    models = [torch.nn.Linear(4, 1) for _ in range(num)]
    return [(model, torch.optim.SGD(model.parameters(), lr=0.01)) for model in models]


def train(pairs: list[tuple[torch.nn.Module, torch.optim.Optimizer]]) -> list[float]:
    losses = []
    for _ in range(NUM_STEPS):
        for model, optimizer in pairs:
            x = torch.randn(8, 4)
            loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


@pytest.mark.parametrize("num_optimizers", [1, 2])
def test_every_loss_is_recorded_or_sampled(num_optimizers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "SPACING_SECONDS", 0.0)
    with Watched() as watched:
        watched.sanitizer.recorder.sleep.sampler._spacing = 0.0
        losses = train(make(num_optimizers))
    assert not watched.failures
    for optimizer, step, loss, rate in watched.samples:
        assert loss == pytest.approx(losses[step - 1])
        assert rate == 0.01
        assert optimizer == 1 + (step - 1) % num_optimizers
    told = watched.recorded | {step for _, step, _, _ in watched.samples}
    # Asleep it listens to every other window: the clock is looked at when one ends.
    assert len(told) >= len(losses) / 2 if num_optimizers == 1 else told == set(range(1, len(losses) + 1))


def test_samples_are_spaced() -> None:
    with Watched() as watched:
        watched.sanitizer.recorder.sleep.sampler._spacing = 1000.0
        train(make(2))
    assert [optimizer for optimizer, *_ in watched.samples] == [1, 2]


def test_nobody_asks() -> None:
    with Watched() as watched:
        watched.sanitizer.recorder.on_sample = None
        train(make(1))
    assert not watched.samples
    assert not watched.failures


def test_a_failing_listener_is_not_asked_again() -> None:
    def fail(*_: object) -> None:
        raise OSError("no disk")

    with Watched() as watched:
        watched.sanitizer.recorder.on_sample = fail
        train(make(1))
    assert watched.failures == ["sample: OSError('no disk')"]


@pytest.mark.parametrize(("spacing", "later"), [(0.02, 0.1), (1.0, 1.0)])
def test_after_the_first_ones_they_are_farther_apart_but_on_devices(spacing: float, later: float) -> None:
    with Watched() as watched:
        (pair,) = make(1)
        train([pair])
        recorder = watched.sanitizer.recorder
        account, sampler = recorder.accounts.get(pair[1]), recorder.sleep.sampler
        assert account is not None
        sampler._spacing = spacing
        account.num_samples = sample.FIRST_SAMPLES
        assert sampler._spacing_of(account) == spacing
        account.num_samples += 1
        assert sampler._spacing_of(account) == pytest.approx(later)
