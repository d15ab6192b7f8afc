"""A resumed run goes on as if nothing had happened. Being killed for real is the business of test_resume.py."""

from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import surefoot as sf
from surefoot.loop.plan import LoopWarning
from surefoot.loop.saving import OtherCheckpointError
from tests.loop.training import all_equal, make_batches, make_model, weights

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


def make_loop(folder: Path | None, **settings: Any) -> tuple[nn.Module, sf.Loop, DataLoader[Any]]:
    model = make_model(dropout=0.3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    schedule = sf.schedule.warmup_cosine(optimizer, warmup=4, updates=18)
    loop = sf.Loop(model, optimizer, scheduler=schedule, accumulate=3, clip_norm=1.0, checkpoint=folder, **settings)
    x, y = make_batches([48])[0]
    torch.manual_seed(5)
    return model, loop, DataLoader(TensorDataset(x, y), batch_size=3, shuffle=True)


def train(model: nn.Module, loop: sf.Loop, loader: Any, *, until: int | None = None, save: bool = False) -> None:
    for num, (x, y) in enumerate(loop.batches(loader, epochs=3), 1):
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
        if num == until:
            if save:
                loop.save()
            return


@pytest.mark.parametrize("until", [1, 3, 7, 16, 17, 40])
@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
def test_resume_anywhere_is_bitwise_the_same_run(tmp_path: Path, until: int, precision: str) -> None:
    model, loop, loader = make_loop(None, precision=precision)
    train(model, loop, loader)
    first, stopped, loader = make_loop(tmp_path, precision=precision)
    train(first, stopped, loader, until=until, save=True)
    torch.manual_seed(77)  # another process has other random numbers
    second, resumed, loader = make_loop(tmp_path, precision=precision)
    torch.rand(10)
    assert resumed.resume()
    train(second, resumed, loader)
    assert all_equal(weights(model), weights(second))
    assert resumed.num_updates == loop.num_updates
    assert resumed.history[:]["loss"] == loop.history["loss"]


def test_checkpoints_come_by_themselves_and_nothing_to_resume_is_no_error(tmp_path: Path) -> None:
    model, loop, loader = make_loop(tmp_path, checkpoint_every=5)
    assert not loop.resume()
    train(model, loop, loader)
    _, again, _ = make_loop(tmp_path)
    assert again.resume()
    assert again.num_updates == 15


def test_a_stopped_run_says_why_also_after_resume(tmp_path: Path) -> None:
    model, loop, loader = make_loop(tmp_path, stop=sf.stop.after(updates=7), checkpoint_every=7)
    train(model, loop, loader)
    assert loop.num_updates == 7
    assert loop.stopped is not None
    assert "7" in loop.stopped
    _, again, _ = make_loop(tmp_path, stop=sf.stop.after(updates=7))
    assert again.resume()
    assert again.stopped == loop.stopped


def test_a_run_that_was_stopped_stays_stopped(tmp_path: Path) -> None:
    model, loop, loader = make_loop(tmp_path, stop=sf.stop.after(updates=7), checkpoint_every=7)
    train(model, loop, loader)
    second, again, loader = make_loop(tmp_path, stop=sf.stop.after(updates=7))
    assert again.resume()
    train(second, again, loader)
    assert again.num_updates == 7
    assert all_equal(weights(model), weights(second))


@pytest.mark.filterwarnings("ignore:.*made for 18 updates")
@pytest.mark.parametrize("until", [4, 16, 20, 40])
def test_an_epoch_loop_of_ones_own_goes_on_in_the_right_epoch(tmp_path: Path, until: int) -> None:
    """`for epoch in range(3): for x, y in loop.batches(loader)`: calls that were done give nothing again."""

    def train_by_epoch(model: nn.Module, loop: sf.Loop, loader: Any, save_at: int | None = None) -> None:
        num = 0
        for _ in range(3):
            for x, y in loop.batches(loader):
                with loop.step() as step:
                    step.backward(F.cross_entropy(model(x), y))
                num += 1
                if num == save_at:
                    loop.save()

    model, loop, loader = make_loop(tmp_path)
    train_by_epoch(model, loop, loader, until)
    second, again, loader = make_loop(tmp_path)
    assert again.resume()
    train_by_epoch(second, again, loader)
    assert again.num_updates == loop.num_updates
    assert all_equal(weights(model), weights(second))


def test_a_checkpoint_between_two_calls(tmp_path: Path) -> None:
    def train_in_phases(model: nn.Module, loop: sf.Loop, loader: Any) -> None:
        train(model, loop, loader)
        loop.save()
        train(model, loop, loader, until=5)

    model, loop, loader = make_loop(tmp_path)
    train_in_phases(model, loop, loader)
    second, again, loader = make_loop(tmp_path)
    assert again.resume()
    train_in_phases(second, again, loader)
    assert all_equal(weights(model), weights(second))


@pytest.mark.filterwarnings("ignore:.*made for 18 updates")
def test_a_finished_run_goes_on_when_it_is_given_more_epochs(tmp_path: Path) -> None:
    def train_for(epochs: int, folder: Path) -> nn.Module:
        model, loop, loader = make_loop(folder)
        loop.resume()
        for x, y in loop.batches(loader, epochs=epochs):
            with loop.step() as step:
                step.backward(F.cross_entropy(model(x), y))
        loop.save()
        return model

    whole = train_for(4, tmp_path / "whole")
    train_for(2, tmp_path / "parts")
    parts = train_for(4, tmp_path / "parts")
    assert all_equal(weights(whole), weights(parts))
    again = train_for(4, tmp_path / "parts")  # nothing left
    assert all_equal(weights(whole), weights(again))


def test_the_last_update_is_saved_too(tmp_path: Path) -> None:
    model, loop, loader = make_loop(tmp_path, checkpoint_every=18)  # applied after the last batch, with what is left
    train(model, loop, loader)
    second, again, loader = make_loop(tmp_path)
    assert again.resume()
    assert all_equal(weights(model), weights(second))
    train(second, again, loader)
    assert all_equal(weights(model), weights(second))


def test_a_checkpoint_of_another_model_changes_nothing(tmp_path: Path) -> None:
    model, loop, loader = make_loop(tmp_path)
    train(model, loop, loader, until=2, save=True)
    other = nn.Sequential(nn.Linear(4, 9), nn.Tanh(), nn.Dropout(0.1), nn.Linear(9, 3))
    before = weights(other)
    theirs = sf.Loop(other, torch.optim.AdamW(other.parameters()), checkpoint=tmp_path)
    with pytest.raises(OtherCheckpointError, match=r"0.weight has shape \(8, 4\) in the checkpoint and \(9, 4\) here"):
        theirs.resume()
    assert all_equal(before, weights(other))


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    model, loop, loader = make_loop(None)
    train(model, loop, loader)
    assert loop.save(tmp_path / "end.pt") == tmp_path / "end.pt"
    other, again, _ = make_loop(None)
    assert again.resume(tmp_path / "end.pt")
    assert all_equal(weights(model), weights(other))
    with pytest.raises(ValueError, match=r"save\(\) needs a path, or a folder"):
        loop.save()
    with pytest.raises(ValueError, match=r"resume\(\) needs a path, or a folder"):
        loop.resume()


def test_saving_before_the_step_would_leave_the_batch_out(tmp_path: Path) -> None:
    _, loop, loader = make_loop(tmp_path)
    for _ in loop.batches(loader, epochs=3):
        with pytest.raises(RuntimeError, match="before the batch's step"):
            loop.save()
        break


def test_stopping_acts_inside_an_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    model, loop, loader = make_loop(None, stop=[sf.stop.below("loss", 100.0), sf.stop.after(seconds=1e6)])
    num = 0
    for x, y in loop.batches(loader, epochs=3):
        num += 1
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
    assert (num, loop.num_updates) == (3, 1)
    assert loop.stopped is not None
    assert "below 100" in loop.stopped
    assert f"surefoot: stopped: {loop.stopped}\n" in capsys.readouterr().err
    assert list(loop.batches(loader)) == []
    with pytest.raises(TypeError, match="stop takes conditions"):
        make_loop(None, stop=["loss"])


def test_other_settings_are_told_or_refused(tmp_path: Path) -> None:
    model, loop, loader = make_loop(tmp_path)
    train(model, loop, loader, until=4, save=True)  # inside a window
    x, y = make_batches([48])[0]
    other, again, _ = make_loop(tmp_path, precision="fp16")
    with pytest.raises(OtherCheckpointError, match=r"inside a window, .* precision fp32 → fp16"):
        again.resume()
    other, again, _ = make_loop(tmp_path)
    assert again.resume()
    with pytest.raises(ValueError, match="sampler 'SequentialSampler', but the one of the checkpoint had 'RandomS"):
        train(other, again, DataLoader(TensorDataset(x, y), batch_size=3))
    with pytest.raises(RuntimeError, match="draw batches from it"), again.step():
        pass


def test_settings_may_change_between_windows(tmp_path: Path) -> None:
    model, loop, loader = make_loop(tmp_path)
    train(model, loop, loader, until=3, save=True)
    _, again, _ = make_loop(tmp_path, ema=0.9, precision="bf16")
    with pytest.raises(OtherCheckpointError, match="ema= is here but not in the checkpoint"):
        again.resume()
    _, again, _ = make_loop(tmp_path, precision="bf16")
    with pytest.warns(LoopWarning, match="goes on with other settings than it was saved with: precision fp32 → bf16"):
        again.resume()


def test_a_run_that_starts_anew_beside_checkpoints_is_told(tmp_path: Path) -> None:
    model, loop, loader = make_loop(tmp_path)
    train(model, loop, loader, until=3, save=True)
    other, again, loader = make_loop(tmp_path)
    with pytest.warns(LoopWarning, match=r"has checkpoints up to update 1, and the run starts anew"):
        train(other, again, loader, until=1)
