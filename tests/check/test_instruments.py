"""What is done to a program, and what is written down of it, in this process."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from surefoot.check.difference import compare_gradients
from surefoot.check.experiment import Experiment, Result
from surefoot.check.instruments import install
from surefoot.check.judge import accumulate, equal, first_loss, needs, overfit, wiring
from surefoot.watch.step import MaxStepsReached
from tests.check.restoring import restoring

Program = Callable[[], None]


def run(program: Program, kind: str, steps: int, tmp_path: Path, **settings: object) -> Result:
    result = Result()
    wanted = Experiment(kind, steps, "train.py", **settings)  # type: ignore[arg-type]
    with restoring():
        observer = install(wanted, result, lambda: None, tmp_path / f"{kind}.pt")
        try:
            program()
            result.ended = "finished"
        except MaxStepsReached:
            result.ended = "max-steps"
        observer.finish()
    return result


def data(num: int = 400) -> TensorDataset:
    torch.manual_seed(0)
    x = torch.randn(num, 6)
    return TensorDataset(x, (x[:, 0] > 0).long() + (x[:, 1] > 0).long())


def training(
    dataset: TensorDataset, *, epochs: int = 3, rate: float = 0.01, hide: bool = False, mix: bool = False
) -> Program:
    def program() -> None:
        torch.manual_seed(1)
        model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3))
        head = _Mixing(model) if mix else model
        optimizer = torch.optim.Adam(head.parameters(), lr=rate)
        for _ in range(epochs):
            for x, y in DataLoader(dataset, batch_size=20, shuffle=True):
                loss = nn.functional.cross_entropy(head(x * 0 if hide else x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

    return program


class _Mixing(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x.t().reshape(x.shape))


def by_hand(*, broadcast: bool = False) -> None:
    torch.manual_seed(1)
    x = torch.randn(640, 4)
    y = x[:, :1] * 2
    model = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(200):
        start = 32 * (step % 20)
        target = y[start : start + 32]
        loss = nn.functional.mse_loss(model(x[start : start + 32]), target.view(-1) if broadcast else target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def test_the_first_batch_is_given_again_beyond_the_end_of_the_data(tmp_path: Path) -> None:
    result = run(training(data(), epochs=1), "repeat", 120, tmp_path)  # an epoch has 20 batches
    assert result.ended == "max-steps"
    assert overfit.FEWEST <= len(result.steps) < 120  # no more than it takes
    verdict = overfit.judge(result, Result(), 1.0)
    assert verdict.verdict == "pass"
    assert verdict.evidence["last_loss"] < overfit.LEARNED * verdict.evidence["first_loss"]


def test_an_evaluation_ends_where_it_would(tmp_path: Path) -> None:
    lengths = []

    def program() -> None:
        loader = DataLoader(data(100), batch_size=20)
        lengths.append(sum(1 for _ in loader))
        training(data(100), epochs=1)()

    run(program, "repeat", 30, tmp_path)
    assert lengths == [5]


def test_a_rate_of_zero_moves_nothing(tmp_path: Path) -> None:
    result = run(training(data(), rate=0.0), "repeat", 40, tmp_path)
    verdict = overfit.judge(result, Result(), 1.0)
    assert verdict.verdict == "fail"
    assert "No weight changed in 40 steps" in verdict.why


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize(("broadcast", "expected"), [(False, "pass"), (True, "fail")])
def test_batches_cut_by_hand_are_given_again(tmp_path: Path, broadcast: bool, expected: str) -> None:
    result = run(lambda: by_hand(broadcast=broadcast), "repeat", 190, tmp_path, by_hand=True)
    assert result.is_replaced
    assert overfit.judge(result, Result(), 1.0).verdict == expected


def test_inputs_of_other_samples_do_worse(tmp_path: Path) -> None:
    result = run(training(data(800)), "inputs", 168, tmp_path, train_steps=60, kept=30)
    verdict = needs.judge(result, Result(), 1.0)
    assert verdict.verdict == "pass"
    assert verdict.evidence["unseen"]["batches"] >= 4
    held = [step for step in result.steps if not step.is_update]
    assert {step.inputs for step in held} == {"", "shuffled", "zeros"}


def test_shuffled_labels_are_learned_by_heart_only(tmp_path: Path) -> None:
    torch.manual_seed(0)
    shuffled = TensorDataset(torch.randn(480, 6), torch.randint(0, 3, (480,)))
    result = run(training(shuffled, rate=0.02), "inputs", 258, tmp_path, train_steps=150, kept=18)
    verdict = needs.judge(result, Result(), 1.0)
    assert verdict.verdict == "fail"
    assert "Look whether inputs and targets belong together" in verdict.why


def test_batches_by_hand_are_compared_without_pairs(tmp_path: Path) -> None:
    result = run(by_hand, "inputs", 190, tmp_path, train_steps=100, by_hand=True)
    assert needs.judge(result, Result(), 1.0).verdict == "pass"


@pytest.mark.parametrize(("mix", "expected"), [(False, "pass"), (True, "fail")])
def test_the_last_step_is_looked_at_closely(tmp_path: Path, mix: bool, expected: str) -> None:
    result = run(training(data(), mix=mix), "watch", 6, tmp_path)
    assert wiring.samples(result, 1.0).verdict == expected
    assert wiring.modes(result, 1.0).verdict == "pass"
    assert first_loss.judge(result, 1.0).verdict == "pass"
    assert wiring.future(result, 1.0).verdict == "not-tested"


def test_inputs_that_never_arrive(tmp_path: Path) -> None:
    result = run(training(data(), hide=True), "watch", 6, tmp_path)
    verdict = needs.judge(result, result, 1.0)
    assert (verdict.verdict, verdict.evidence) == ("fail", {"inputs": 1, "targets": 6})


@pytest.mark.parametrize(("scale", "expected"), [(0.25, "pass"), (1.0, "fail")])
def test_gradients_of_windows_are_compared(tmp_path: Path, scale: float, expected: str) -> None:
    def program(num: int, scale: float) -> None:
        torch.manual_seed(3)
        x, y = torch.randn(32, 4), torch.randn(32, 1)
        model = nn.Linear(4, 1)
        optimizer = torch.optim.Adam(model.parameters())
        for inputs, targets in zip(x.chunk(num), y.chunk(num), strict=True):
            (nn.functional.mse_loss(model(inputs), targets) * scale).backward()
        optimizer.step()

    small = run(lambda: program(4, scale), "gradients", 1, tmp_path)
    (tmp_path / "gradients.pt").rename(tmp_path / "small.pt")
    large = run(lambda: program(1, 1.0), "gradients", 1, tmp_path)
    compared = compare_gradients(tmp_path / "small.pt", tmp_path / "gradients.pt")
    verdict = accumulate.judge(small, large, compared, 4, 8, 1.0)
    assert verdict.verdict == expected
    assert verdict.evidence["factor"] == pytest.approx(4 * scale, rel=1e-4)


def test_two_equal_runs_have_equal_digests(tmp_path: Path) -> None:
    one, other, third = (
        run(training(data(), rate=rate), "rerun", 5, tmp_path) for rate in (0.01, 0.01, 0.02)
    )  # fmt: skip
    assert equal.judge(one, other, None).verdict == "pass"
    assert equal.first_difference(one.steps, third.steps) == (1, "updated weights")


def test_a_program_that_runs_out_of_time_is_looked_at_in_one_more_step(tmp_path: Path) -> None:
    result = run(training(data()), "watch", 30, tmp_path, seconds=0.0)
    assert (result.ended, len(result.steps)) == ("max-steps", 2)
    assert "change" in result.measured["samples"]
