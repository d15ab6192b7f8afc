"""A training program that is killed again and again; run as a process of its own by test_resume.py.

It imports torch once and forks a child for each attempt. A child resumes, trains, and is killed with SIGKILL: by itself
at a chosen moment (inside a forward, a backward, a step, a save), or by its parent after a chosen number of batches,
wherever it is by then.
"""

import gc
import json
import os
import random
import select
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch._dynamo  # the first optimizer would import it, in every child again
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

import surefoot as sf
from surefoot.rules.catalogue import catalogue

NUM_SAMPLES = 22  # in batches of 3: the last one is short, and so is the last window of three
EPOCHS = 3
MOMENTS = 70  # a child lives at most that long; a whole run has several hundred


class Noisy(Dataset[tuple[Tensor, int]]):
    """Augmented with random numbers, in the process or in its workers."""

    def __len__(self) -> int:
        return NUM_SAMPLES

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        return torch.full((4,), index / NUM_SAMPLES) + 0.1 * torch.randn(4) + 0.1 * random.random(), index % 3


class Clock:
    """Passes moments, and kills the process at the chosen one."""

    def __init__(self, last: int | None, number: int = signal.SIGKILL) -> None:
        self.last, self.number = last, number
        self.now = 0

    def tick(self, *_: Any) -> None:
        self.now += 1
        if self.now == self.last:
            os.kill(os.getpid(), self.number)

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def ticking(*args: Any, **kwargs: Any) -> Any:
            self.tick()
            result = function(*args, **kwargs)
            self.tick()
            return result

        return ticking


def build_open(settings: dict[str, Any], folder: Path) -> tuple[nn.Module, sf.Loop, DataLoader[Any]]:
    """With everything that a loop can be given besides, all of which the weights depend on."""
    random.seed(3)
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.3), nn.Linear(8, 3))
    matrices, vectors = ([p for p in model.parameters() if (p.ndim == 2) == is_matrix] for is_matrix in (True, False))
    loop = sf.Loop(
        model, [torch.optim.Muon(matrices, lr=0.02), torch.optim.AdamW(vectors, lr=0.05)], clip_spikes=1.05, ema=0.9,
        accumulate=settings["accumulate"], precision=settings["precision"], progress=False, checkpoint=folder,
        checkpoint_every=settings["checkpoint_every"], keep_best=("val/loss", "min"), before_update=add_noise,
        checkpoint_async=True,
    )  # fmt: skip
    loop.state.update({"noise": torch.Generator().manual_seed(1), "queue": torch.zeros(5), "pointer": 0})
    return model, loop, DataLoader(Noisy(), batch_size=5, shuffle=True, drop_last=True, num_workers=settings["workers"])


def add_noise(loop: sf.Loop) -> None:
    """To the gradients: from a generator of its own, and scaled by what the last losses were."""
    for p in loop.models[""].parameters():
        assert p.grad is not None
        noise = torch.randn(p.grad.shape, generator=loop.state["noise"])
        p.grad.add_(noise, alpha=0.01 * (1 + loop.state["queue"].mean().item()))


def validate(loop: sf.Loop) -> None:
    """Every third update, on a loader that draws from the generators that training uses."""
    state = loop.state
    state["queue"][state["pointer"]] = loop.history[-1]["loss"]
    state["pointer"] = (state["pointer"] + 1) % 5
    if loop.num_updates % 3 == 0:
        loss = loop.evaluate(DataLoader(Noisy(), batch_size=7, shuffle=True), F.cross_entropy)["loss"]
        loop.history.add_to_last({"val/loss": loss})
        loop.see({"val/loss": loss})


def result(model: nn.Module, loop: sf.Loop) -> list[Tensor]:
    """All that must be the same in the end."""
    with loop.averaged():
        averaged = [t.clone() for t in model.state_dict().values()]
    found = [*(t.clone() for t in model.state_dict().values()), torch.tensor(loop.history["loss"])]
    if loop.best is not None:
        found += [torch.tensor(loop.history["val/loss"]), torch.tensor([loop.best.value, loop.best.update])]
        loop.load_best()
        with loop.averaged():
            found += [t.clone() for t in model.state_dict().values()]
    return found + averaged


def build(settings: dict[str, Any], folder: Path) -> tuple[nn.Module, sf.Loop, DataLoader[Any]]:
    random.seed(3)
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.3), nn.Linear(8, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, -(-8 // settings["accumulate"]) * EPOCHS)
    loop = sf.Loop(
        model, optimizer, scheduler=schedule, clip_norm=1.0, checkpoint=folder, accumulate=settings["accumulate"],
        precision=settings["precision"], checkpoint_every=settings["checkpoint_every"], progress=False,
    )  # fmt: skip
    return model, loop, DataLoader(Noisy(), batch_size=3, shuffle=True, num_workers=settings["workers"])


def train(settings: dict[str, Any], folder: Path, clock: Clock, alive: Callable[[], object]) -> None:
    is_open = settings["is_open"]
    model, loop, loader = (build_open if is_open else build)(settings, folder)
    torch.rand(7)  # another process is elsewhere with its random numbers
    loop.resume()
    model.register_forward_hook(clock.tick)
    next(model.parameters()).register_hook(clock.tick)  # inside the backward
    next(iter(loop.optimizers.values())).register_step_pre_hook(clock.tick)
    next(iter(loop.optimizers.values())).register_step_post_hook(clock.tick)
    os.fsync, os.replace = clock.around(os.fsync), clock.around(os.replace)
    for number, (x, y) in enumerate(
        loop.batches(loader, EPOCHS, after_update=partial(validate, loop) if is_open else None)
    ):
        alive()
        clock.tick()
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
        if settings["checkpoint_every"] and number % 4 == 1:
            loop.save()  # also inside a window
    found = [finding.rule for finding in loop.findings if finding.severity != "note"]
    assert not found, found
    torch.save(result(model, loop), folder / "result")


def attempt(settings: dict[str, Any], folder: Path, clock: Clock, kill_after: int | None = None) -> int:
    """The exit code of a child that trains; its parent kills it when it has seen `kill_after` batches.

    The pipe has no end that could be waited for: a worker that starts while the child is killed keeps it open.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.close(reader)
        try:
            train(settings, folder, clock, lambda: os.write(writer, b"."))
            os._exit(0)
        finally:
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
            os._exit(1)
    os.close(writer)
    ended = 0
    for _ in range(kill_after or 0):
        while not ended and not select.select([reader], [], [], 0.05)[0]:
            ended, status = os.waitpid(pid, os.WNOHANG)
        if ended or not os.read(reader, 1):
            break
    else:
        if kill_after is not None:
            os.kill(pid, signal.SIGKILL)
    if not ended:
        _, status = os.waitpid(pid, 0)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # workers would notice in a few seconds, too
    os.close(reader)
    return os.waitstatus_to_exitcode(status)


def kill_until_finished(settings: dict[str, Any], folder: Path, chance: random.Random) -> int:
    """How often a run had to be killed before it could finish."""
    for num_killed in range(200):
        if chance.random() < 0.6:
            code = attempt(settings, folder, Clock(chance.randint(1, MOMENTS)))
        else:
            code = attempt(settings, folder, Clock(None), kill_after=chance.randint(1, 9))
        if code == 0:
            return num_killed
        assert code == -signal.SIGKILL, code
    raise AssertionError("it never got to its end")


def terminate_until_finished(settings: dict[str, Any], folder: Path, chance: random.Random) -> int:
    for num_terminated in range(200):
        before = len(list(folder.glob("*.pt")))
        code = attempt(settings, folder, Clock(chance.randint(1, 20), signal.SIGTERM))
        if code == 0:
            return num_terminated
        assert code == -signal.SIGTERM, code
        assert num_terminated or len(list(folder.glob("*.pt"))) == before + 1, "it was not saved first"
    raise AssertionError("it never got to its end")


def interrupt(settings: dict[str, Any], folder: Path) -> int:
    """How often it was interrupted, in as many runs as that took, each of which ended like the undisturbed one."""
    whole, disturbed = folder / "whole", folder / "disturbed"
    whole.mkdir(parents=True)
    assert attempt({**settings, "checkpoint_every": None}, whole, Clock(None)) == 0
    expected = torch.load(whole / "result")
    chance = random.Random(settings["seed"])
    until_finished = terminate_until_finished if settings["checkpoint_every"] is None else kill_until_finished
    num_interrupted = 0
    while num_interrupted < settings["at_least"]:
        shutil.rmtree(disturbed, ignore_errors=True)
        disturbed.mkdir()
        num_interrupted += until_finished(settings, disturbed, chance)
        result = torch.load(disturbed / "result")
        same = [torch.equal(a, b) for a, b in zip(expected, result, strict=True)]
        assert all(same), f"after {num_interrupted} interruptions: {same}"
    return num_interrupted


def main(all_settings: dict[str, dict[str, Any]], folder: Path) -> None:
    torch.set_num_threads(1)
    assert catalogue()  # the rules, too, are imported once
    assert sf.Loop
    gc.collect()
    gc.freeze()  # each start of a sanitizer looks through what the collector sees
    outcomes: dict[str, int | str] = {}
    for name, settings in all_settings.items():
        try:
            outcomes[name] = interrupt(settings, folder / name)
        except AssertionError as error:
            outcomes[name] = str(error)
    print(json.dumps(outcomes))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), Path(sys.argv[2]))
