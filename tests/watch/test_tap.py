"""The tap: each function is replaced once, failures cost little, and the program's own affairs stay its own."""

import re
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.data import DataLoader, Dataset

from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer import Sanitizer
from surefoot.watch.recorder import Recorder
from surefoot.watch.tap import Tap


@contextmanager
def sanitizing() -> Iterator[Sanitizer]:
    failures: list[str] = []
    sanitizer = Sanitizer(catalogue().values(), on_failure=lambda name, error: failures.append(f"{name}: {error!r}"))
    sanitizer.start()
    try:
        yield sanitizer
    finally:
        sanitizer.finish()
    assert not failures, failures


class Training:
    def __init__(self, out: int = 1) -> None:
        torch.manual_seed(0)
        self.model = nn.Linear(4, out)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)

    def step(self, inputs: Tensor | None = None) -> None:
        x = torch.randn(8, 4) if inputs is None else inputs
        loss = functional.mse_loss(self.model(x), x.sum(1, keepdim=True))
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()


# --- what is replaced


def test_each_function_is_replaced_once_and_put_back() -> None:
    with sanitizing() as sanitizer:
        replaced = list(sanitizer.recorder.tap._replaced)
        places = [(id(owner), name) for owner, name, _, _ in replaced]
        assert len(places) == len(set(places))
        for owner, name, stored, replacement in replaced:
            assert vars(owner)[name] is replacement
            assert stored is not replacement
    assert replaced
    for owner, name, stored, _ in replaced:
        assert vars(owner)[name] is stored, name


def test_the_same_is_replaced_the_second_time() -> None:
    with sanitizing() as sanitizer:
        first = [(owner, name, stored) for owner, name, stored, _ in sanitizer.recorder.tap._replaced]
    with sanitizing() as sanitizer:
        assert [(owner, name, stored) for owner, name, stored, _ in sanitizer.recorder.tap._replaced] == first


# --- failures


class Owner:
    @staticmethod
    def call(number: int) -> int:
        return number


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_failure_costs_one_event_and_the_third_the_probe(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tap, "most_failures", 3)
    failed: list[str] = []
    heard: list[int] = []
    others: list[int] = []
    tap = Tap(lambda probe, error: failed.append(probe))
    failing = {2, 4, 6}

    def before(args: Any, kwargs: Any) -> None:
        after(None, args, kwargs, None)

    def after(begun: None, args: Any, kwargs: Any, result: Any) -> None:
        if args[0] in failing:
            raise ValueError(args[0])
        heard.append(args[0])

    tap.listen(Owner, "call", "weak", **{moment: before if moment == "before" else after})  # type: ignore[arg-type]
    tap.listen(Owner, "call", "strong", after=lambda begun, args, kwargs, result: others.append(result))
    tap.on = True
    for number in range(1, 9):
        assert Owner.call(number) == number
        assert failed == (["weak"] if number >= 6 else [])
    tap.remove()
    assert heard == [1, 3, 5]
    assert others == list(range(1, 9))
    assert list(tap.off) == ["weak"]


def test_a_listener_after_one_that_fails_is_still_asked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tap, "most_failures", 3)
    tap = Tap(lambda probe, error: None)
    heard: list[int] = []

    def fail(args: Any, kwargs: Any) -> None:
        raise ValueError

    tap.listen(Owner, "call", "weak", before=fail)
    tap.listen(Owner, "call", "strong", before=lambda args, kwargs: heard.append(args[0]))
    tap.on = True
    for number in range(4):
        Owner.call(number)
    tap.remove()
    assert heard == [0, 1, 2, 3]


# --- signal handlers


class AlarmError(Exception):
    pass


def is_ours(file: str) -> bool:
    return "/surefoot/" in file and "/tests/" not in file


@pytest.mark.parametrize("kind", [AlarmError, RuntimeError, ValueError, KeyboardInterrupt])
def test_what_a_signal_handler_raises_in_our_code_reaches_the_program(kind: type[BaseException]) -> None:
    def handler(number: int, frame: Any) -> None:
        raise kind("from the handler")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with sanitizing() as sanitizer:
            training = Training()
            tap = sanitizer.recorder.tap
            off = dict(tap.off)
            is_due = False

            def interrupted(args: Any, kwargs: Any) -> None:
                if is_due:  # as if it came at this very moment
                    signal.raise_signal(signal.SIGALRM)

            tap.listen(torch.optim.Optimizer, "zero_grad", "interrupted", before=interrupted)
            for _ in range(5):
                training.step()
                is_due = True
                with pytest.raises(kind, match="from the handler"):
                    training.step()
                is_due = False
            assert not tap._busy
            assert tap.off == off
            training.step()
        assert not [f for f in sanitizer.judge.findings if f.severity != "note"]
    finally:
        signal.signal(signal.SIGALRM, before)


# --- modes of the program


class Dispatched(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.ops: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.ops.append(str(func))
        return func(*args, **(kwargs or {}))


class Called(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.ops: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.ops.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("mode", [Dispatched, Called])
def test_modes_of_the_program_see_only_the_program(mode: Any) -> None:
    def ops() -> list[str]:
        training = Training()
        with mode() as running:
            for _ in range(40):
                training.step()
        seen: list[str] = running.ops
        return seen

    bare = ops()
    with sanitizing():
        watched = ops()
    assert bare == watched


def test_nothing_of_ours_runs_while_torch_traces() -> None:
    training, events = Training(), list[str]()

    class Traced(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = training.model

        def forward(self, x: Tensor) -> Tensor:
            return functional.mse_loss(self.model(x), x.sum(1, keepdim=True))

    traced = Traced()

    x = torch.randn(8, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch: traces are deprecated
        bare = str(torch.jit.trace(traced, (x,)).graph)
        with sanitizing() as sanitizer:
            training.step()
            sanitizer.recorder.journal.listener = lambda at, key, build: events.append(str(key))
            watched = str(torch.jit.trace(traced, (x,), check_trace=False).graph)
            assert events == []
            sanitizer.recorder.journal.listener = None

    def shape(graph: str) -> list[str]:
        return [re.sub(r"#.*|___torch_mangle_\d+\.", "", line).strip() for line in graph.splitlines()]

    assert shape(bare) == shape(watched)


# --- frames of ours below the program's code


def own_frames() -> list[str]:
    frame, own = sys._getframe(1), list[str]()
    while frame is not None:
        file = frame.f_code.co_filename
        if is_ours(file):
            own.append(frame.f_code.co_qualname)
        frame = frame.f_back  # type: ignore[assignment]
    return own


def test_at_most_two_frames_of_ours_lie_below_the_programs_code() -> None:
    seen: dict[str, list[str]] = {}

    def note(place: str) -> None:
        own = own_frames()
        if len(own) >= len(seen.get(place, [])):
            seen[place] = own

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            note("forward")
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Tensor:  # type: ignore[override]
            note("backward")
            return grad * 2

    class Items(Dataset[Tensor]):
        def __len__(self) -> int:
            return 16

        def __getitem__(self, index: int) -> Tensor:
            note("item")
            return torch.ones(4) * index

    class Net(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            note("module")
            return super().forward(x)

    with sanitizing():
        model = Net(4, 1)
        optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2)
        for x in DataLoader(Items(), batch_size=4):

            def closure(x: Tensor = x) -> Tensor:
                note("closure")
                optimizer.zero_grad()
                loss = functional.mse_loss(Double.apply(model(x)), x.sum(1, keepdim=True))
                loss.backward()
                return loss

            optimizer.step(closure)
    assert set(seen) == {"forward", "backward", "item", "module", "closure"}
    assert {place: own for place, own in seen.items() if len(own) > 2} == {}


def test_the_recorder_of_a_second_watch_starts_with_an_empty_tap() -> None:
    first, second = (Recorder(lambda record: None, [], pytest.fail) for _ in range(2))
    assert first.tap is not second.tap
    assert second.tap._replaced == []


def test_a_method_that_a_type_inherits_is_inherited_again() -> None:
    class Child(Counted):
        pass

    tap, heard = Tap(lambda probe, error: None), list[str]()
    tap.listen(Child, "count", "probe", before=lambda args, kwargs: heard.append("child"))
    tap.on = True
    assert Child().count() == Counted().count() and heard == ["child"]
    with tap.suspended():
        Child().count()
    Child().count()
    assert heard == ["child", "child"]
    tap.remove()
    assert "count" not in vars(Child)


class Counted:
    def count(self) -> int:
        return 1
