"""`fit`, `evaluate` and the history they write."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn
from torch.optim.lr_scheduler import CosineAnnealingLR

import surefoot as sf
from surefoot.loop.plan import LoopWarning
from tests.loop.training import make_batches, make_model

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


def accuracy(outputs: Tensor, targets: Tensor) -> Tensor:
    return (outputs.argmax(1) == targets).float().mean()


def make_loop(**settings: Any) -> tuple[nn.Module, sf.Loop]:
    model = make_model()
    return model, sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), **settings)


def test_validation_after_every_epoch() -> None:
    _, loop = make_loop(accumulate=2)
    train, held_out = make_batches([8, 8, 8]), make_batches([8, 3], seed=1)
    history = loop.fit(train, F.cross_entropy, epochs=3, validate=held_out, metrics={"accuracy": accuracy})
    assert history is loop.history
    assert len(history) == 6
    assert len(history["val/loss"]) == len(history["val/accuracy"]) == 3
    assert "val/loss" in history[1]
    assert "val/loss" not in history[0]
    assert repr(history).startswith("History of 6 updates: loss ")


def test_evaluation_is_exactly_weighted_and_leaves_everything_as_it_was() -> None:
    model, loop = make_loop()
    model[2].eval()
    batches = make_batches([8, 3, 1])
    batches[0][1][:6] = -100
    state = torch.get_rng_state()
    found = loop.evaluate(batches, F.cross_entropy, metrics={"accuracy": accuracy})
    x, y = torch.cat([x for x, _ in batches]), torch.cat([y for _, y in batches])
    assert found["loss"] == pytest.approx(F.cross_entropy(model(x), y).item(), rel=1e-6)
    assert found["accuracy"] == pytest.approx(accuracy(model(x), y).item(), rel=1e-6)
    assert (model.training, model[0].training, model[2].training) == (True, True, False)
    assert torch.equal(state, torch.get_rng_state())
    assert all(p.grad is None for p in model.parameters())


def test_batches_that_are_no_pairs() -> None:
    model, loop = make_loop(accumulate=2)

    def loss_fn(model: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        return F.cross_entropy(model(batch["x"]), batch["y"])

    batches = [{"x": x, "y": y} for x, y in make_batches([8, 4])]
    loop.fit(batches, loss_fn, epochs=2, validate=batches)
    assert loop.num_updates == 2
    loss = loop.evaluate(batches, loss_fn)["loss"]
    assert loss == pytest.approx(loss_fn(model, {k: torch.cat([b[k] for b in batches]) for k in "xy"}).item(), rel=1e-6)
    assert loop.evaluate(batches, loss_fn, weight=lambda batch: len(batch["y"]))["loss"] == pytest.approx(loss)


def test_a_loss_that_needs_a_weight() -> None:
    _, loop = make_loop(accumulate=2)
    batches = make_batches([8, 4])

    def sum_loss(outputs: Tensor, targets: Tensor) -> Tensor:
        return F.cross_entropy(outputs, targets, reduction="sum") / 5

    with pytest.raises(ValueError, match="Pass the number of items"):
        loop.fit(batches, sum_loss, epochs=1)
    loop.fit(batches, sum_loss, epochs=1, weight=lambda batch: len(batch[1]))
    assert loop.num_updates == 1
    assert loop.evaluate(batches, sum_loss, weight=lambda batch: len(batch[1]))["loss"] > 0
    assert loop.evaluate(batches[:1], sum_loss)["loss"] > 0
    with pytest.raises(ValueError, match=r"divides a sum by 5.*averaged exactly.*weight=function\(batch\)"):
        loop.evaluate(batches, sum_loss)


class Meter:
    """As those of torchmetrics."""

    def reset(self) -> None:
        self.num = 0

    def update(self, outputs: Tensor, targets: Tensor) -> None:
        self.num += len(targets)

    def compute(self) -> Tensor:
        return torch.tensor(float(self.num))


def test_metrics_that_add_up_themselves_and_loaders_that_are_functions() -> None:
    _, loop = make_loop()

    def loader() -> Iterator[Any]:
        yield from make_batches([8, 3])

    assert loop.evaluate(loader, F.cross_entropy, metrics={"num": Meter()})["num"] == 11.0
    with pytest.raises(ValueError, match="got no batches"):
        loop.evaluate([], F.cross_entropy)


def test_a_schedule_of_another_length_is_said_at_the_start() -> None:
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loop = sf.Loop(model, optimizer, scheduler=CosineAnnealingLR(optimizer, T_max=30), accumulate=2)
    with pytest.warns(
        LoopWarning, match=r"CosineAnnealingLR is made for 30 updates, but 15 are planned: .*\(6 batches, 5"
    ):
        loop.fit(make_batches([4] * 6), F.cross_entropy, epochs=5)


def test_a_schedule_longer_than_one_epoch_of_several_calls_is_fine() -> None:
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loop = sf.Loop(model, optimizer, scheduler=CosineAnnealingLR(optimizer, T_max=12))
    for _ in range(2):
        loop.fit(make_batches([4] * 6), F.cross_entropy, epochs=1)
    assert loop.num_updates == 12


def test_a_condition_that_could_never_be_met() -> None:
    _, loop = make_loop(stop=sf.stop.below("val/loss", 0.1))
    with pytest.raises(ValueError, match=r"waits for 'val/loss', which fit\(\) does not measure. There are loss\."):
        loop.fit(make_batches([4]), F.cross_entropy, epochs=1)


def test_history_of_nothing_and_of_something() -> None:
    _, loop = make_loop()
    assert repr(loop.history) == "History of no updates"
    assert loop.history["loss"] == []
    loop.fit(make_batches([4] * 6), F.cross_entropy, epochs=1)
    assert [row["update"] for row in loop.history[2:4]] == [3, 4]
    assert len(loop.history["grad_norm"]) == 6
    with pytest.raises(KeyError, match=r"'x' was never recorded. There are: update, epoch, loss, lr, grad_norm"):
        loop.history["x"]


def test_a_data_frame_needs_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    _, loop = make_loop()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        loop.history.df()


def test_lines_in_a_log(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.loop.progress.LINE_SECONDS", 0.0)
    _, loop = make_loop()
    loop.fit(make_batches([4] * 3), F.cross_entropy, epochs=1)
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("surefoot: update")]
    assert len(lines) == 3
    assert lines[1].startswith("surefoot: update 2 of 3, epoch 1, loss ")


def test_a_bar_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.loop.progress.REDRAW_SECONDS", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    _, loop = make_loop()
    loop.fit(make_batches([4] * 3), F.cross_entropy, epochs=1)
    assert "3/3" in capsys.readouterr().err


def test_quiet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.loop.progress.LINE_SECONDS", 0.0)
    _, loop = make_loop(progress=False)
    loop.fit(make_batches([4] * 3), F.cross_entropy, epochs=1)
    assert capsys.readouterr().err == ""
