"""Lines of a loop by hand inside `sf.Loop`, and runs that are resumed with other settings."""

import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import surefoot as sf
from benchmarks.conformance import probe
from benchmarks.conformance.further.row import Mark, NotEqual, Row

SIZES = (3, 1, 3, 1)
Body = Callable[[sf.Loop, nn.Module, Any, Tensor], None]


def _expect(model: probe.Dot, right: Sequence[float]) -> None:
    got = [-value for value in model.weight.tolist()]
    if any(abs(a - b) > 1e-6 for a, b in zip(got, right, strict=True)):
        raise NotEqual("weights " + " ".join(f"{value:.4g}" for value in got))


def _run(body: Body, right: Sequence[float] = (0.75, 0.25, 0.75, 0.25), accumulate: int = 2, epochs: int = 1) -> None:
    model = probe.Dot(len(SIZES))
    optimizer = torch.optim.SGD(model.parameters(), 1.0)
    loop = sf.Loop(model, optimizer, accumulate=accumulate, watch=False, log=None)
    for x in loop.batches(probe.one_hot_batches(SIZES), epochs):
        body(loop, model, optimizer, x)
    _expect(model, right)


def _step(loop: sf.Loop, model: nn.Module, x: Tensor) -> None:
    with loop.step() as step:
        step.backward(model(x).mean())


def _own_backward(loop: sf.Loop, model: nn.Module, optimizer: Any, x: Tensor) -> None:
    with loop.step():
        model(x).mean().backward()


def _no_step(loop: sf.Loop, model: nn.Module, optimizer: Any, x: Tensor) -> None:
    model(x).mean().backward()


def _own_clearing(loop: sf.Loop, model: nn.Module, optimizer: Any, x: Tensor) -> None:
    optimizer.zero_grad()
    _step(loop, model, x)


def _own_clipping(loop: sf.Loop, model: nn.Module, optimizer: Any, x: Tensor) -> None:
    with loop.step() as step:
        step.backward(model(x).mean())
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)


def _own_step(loop: sf.Loop, model: nn.Module, optimizer: Any, x: Tensor) -> None:
    _step(loop, model, x)
    optimizer.step()


def _step_in_step(loop: sf.Loop, model: nn.Module, optimizer: Any, x: Tensor) -> None:
    with loop.step() as outer, loop.step() as inner:
        inner.backward(model(x).mean())
        outer.backward(model(x).mean())


def _batches_in_batches(loop: sf.Loop, model: nn.Module, optimizer: Any, x: Tensor) -> None:
    for _ in loop.batches([x]):
        _step(loop, model, x)


def _two_backwards(loop: sf.Loop, model: nn.Module, optimizer: Any, x: Tensor) -> None:
    with loop.step() as step:
        step.backward(model(x).mean())
        step.backward(model(x[:1]).mean())


def _own_schedule() -> None:
    model = probe.Dot(4)
    optimizer = torch.optim.SGD(model.parameters(), 1.0)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    loop = sf.Loop(model, optimizer, scheduler=schedule, watch=False, log=None)
    for x in loop.batches(probe.one_hot_batches(SIZES)):
        _step(loop, model, x)
        schedule.step()
    _expect(model, (1, 0.5, 0.25, 0.125))


def _group_added() -> None:
    model = nn.ModuleList([probe.Dot(2), probe.Dot(2)])
    first, second = (list(part.parameters()) for part in model)
    optimizer = torch.optim.SGD(first, 1.0)
    loop = sf.Loop(model, optimizer, watch=False, log=None)
    for number, x in enumerate(loop.batches([torch.ones(1, 2)] * 2)):
        if number == 1:
            optimizer.add_param_group({"params": second})
        with loop.step() as step:
            step.backward(model[0](x).mean() + model[1](x).mean())
    _expect(model[1], (1, 1))  # type: ignore[arg-type]


def _epochs() -> None:
    model = probe.Dot(4)
    stop = sf.stop.after(epochs=2)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), 1.0), stop=stop, watch=False, log=None)
    for x in loop.batches(probe.one_hot_batches(SIZES), None):
        _step(loop, model, x)
    _expect(model, (2, 2, 2, 2))


def _resumed(before: dict[str, Any], after: dict[str, Any], loader: Callable[[Any], Any] | None = None) -> None:
    """Saved after 3 of 4 batches, inside a window of 2; gone on with other settings."""
    data = TensorDataset(torch.eye(4))
    with tempfile.TemporaryDirectory() as folder:
        for settings, until in ((before, 3), (after, 4)):
            torch.manual_seed(0)
            model = probe.Dot(4)
            make = settings.pop("scheduler", None)
            optimizer = torch.optim.SGD(model.parameters(), 1.0)
            loop = sf.Loop(
                model, optimizer, checkpoint=folder, watch=False, log=None, progress=False,
                scheduler=None if make is None else make(optimizer), **settings,
            )  # fmt: skip
            if settings.pop("resumes", until == 4):
                loop.resume()
            given = loader(data) if loader is not None and until == 4 else DataLoader(data, 1, shuffle=True)
            for num, (x,) in enumerate(loop.batches(given), 1):
                _step(loop, model, x)
                if num == until == 3:
                    loop.save()
                    break


def _other(before: dict[str, Any], after: dict[str, Any], **more: Any) -> Callable[[], None]:
    return lambda: _resumed({"accumulate": 2, **before}, {"accumulate": 2, **after}, **more)


def _start_over() -> None:
    data = [torch.eye(4)]
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            model = probe.Dot(4)
            loop = sf.Loop(model, torch.optim.SGD(model.parameters(), 1.0), checkpoint=folder, watch=False, log=None)
            for x in loop.batches(data):
                _step(loop, model, x)
            loop.save()


def rows() -> list[Row]:
    lr = torch.optim.lr_scheduler
    refused = [
        ("`loss.backward()` in a step", lambda: _run(_own_backward)),
        ("`loss.backward()` without a step", lambda: _run(_no_step)),
        ("`zero_grad()` before each micro-batch", lambda: _run(_own_clearing)),
        ("clipping each micro-batch", lambda: _run(_own_clipping)),
        ("`optimizer.step()` after each micro-batch", lambda: _run(_own_step)),
        ("a step in a step", lambda: _run(_step_in_step)),
        ("`batches()` in `batches()`", lambda: _run(_batches_in_batches)),
        ("`scheduler.step()` too", _own_schedule),
        ("an empty loader", lambda: list(sf.Loop(*_parts(), watch=False, log=None).batches([]))),
        ("resumed in a window with another `accumulate`", _other({}, {"accumulate": 4})),
        ("resumed in a window of fp16 in fp32", _other({"precision": "fp16"}, {})),
        ("resumed in an epoch without shuffling", _other({}, {}, loader=lambda data: DataLoader(data, 1))),
        (
            "resumed with another kind of schedule",
            _other({"scheduler": lambda o: lr.StepLR(o, 1)}, {"scheduler": lambda o: lr.ExponentialLR(o, 0.5)}),
        ),
    ]
    return [
        *(Row(title, run, Mark.REFUSED, is_own=True) for title, run in refused),
        Row("`resume()` forgotten beside checkpoints", _start_over, Mark.TOLD, is_own=True),
        Row("two backwards in a step, each over its items", lambda: _run(_two_backwards, (1.25, 0.75, 1.25, 0.75))),
        Row("a parameter group added while training", _group_added),
        Row("stop after two epochs", _epochs),
    ]


def _parts() -> tuple[nn.Module, torch.optim.Optimizer]:
    model = probe.Dot(4)
    return model, torch.optim.SGD(model.parameters(), 1.0)
