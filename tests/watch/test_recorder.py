"""Records are few, nothing outlives the watch, and our own failures stay our own."""

import contextlib
import copy
import gc
import pickle
import threading
import weakref
from collections.abc import Callable

import pytest
import torch

from surefoot.watch.probe import Probe
from surefoot.watch.probes import all_probes
from surefoot.watch.recorder import Recorder
from surefoot.watch.window import FIRST_WINDOWS, SPACINGS
from tests.watch.watching import watching


def train(num_steps: int, optimizer_class: type[torch.optim.Optimizer] = torch.optim.SGD) -> torch.nn.Module:
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 2)
    optimizer = optimizer_class(model.parameters(), lr=0.1)  # type: ignore[call-arg]
    for _ in range(num_steps):
        model(torch.randn(4, 3)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return model


def test_steps_of_known_shape_are_counted_not_recorded() -> None:
    with watching() as watched:
        train(1200)
    assert watched.num_steps == 1200
    spacing = SPACINGS[0][1]
    assert len(watched.steps) <= FIRST_WINDOWS + 1200 // spacing + 2
    assert sum(1 + s.repeats for s in watched.steps) >= 1200 - spacing


def test_a_new_shape_is_always_recorded() -> None:
    with watching() as watched:
        torch.manual_seed(0)
        model = torch.nn.Linear(3, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for i in range(100):
            model(torch.randn(4, 3)).square().mean().backward()
            optimizer.step()
            if i != 80:
                optimizer.zero_grad()
    assert [s.index for s in watched.steps if any(g.used_by for g in s.gradients)] == [82]


def test_weights_are_bitwise_those_of_the_bare_program() -> None:
    bare = train(50, torch.optim.Adam)
    with watching():
        watched = train(50, torch.optim.Adam)
    for a, b in zip(bare.parameters(), watched.parameters(), strict=True):
        assert torch.equal(a, b)


def test_stopping_puts_every_function_back() -> None:
    owners = [torch.autograd, torch.optim.Optimizer, torch.nn.Module, torch.nn.utils, torch.nn.utils.clip_grad,
              torch.nn.functional, torch.amp.GradScaler, torch.utils.data.DataLoader,
              torch.optim.lr_scheduler.LRScheduler]  # fmt: skip
    before = [dict(vars(owner)) for owner in owners]
    with watching():
        train(3)
    for owner, names in zip(owners, before, strict=True):
        changed = {name for name, value in vars(owner).items() if names.get(name) is not value}
        assert not changed, f"{owner}: {changed}"


def test_models_and_optimizers_die_as_without_the_watch() -> None:
    with watching():
        model = torch.nn.Linear(3, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model(torch.randn(4, 3)).mean().backward()
        optimizer.step()
        gone = [weakref.ref(model), weakref.ref(optimizer), weakref.ref(model.weight)]
        del model, optimizer
        gc.collect()
        assert [ref() for ref in gone] == [None, None, None]


def test_models_can_be_copied_and_pickled_while_watched() -> None:
    with watching():
        model = train(3)
        copied = copy.deepcopy(model)
        loaded = pickle.loads(pickle.dumps(model))
    assert torch.equal(copied.weight, loaded.weight)  # type: ignore[arg-type]


class Broken(Probe):
    name = "broken"

    def step_begins(self, optimizer: torch.optim.Optimizer) -> None:
        raise ZeroDivisionError("ours")


def test_a_probe_that_raises_is_switched_off_and_named_once() -> None:
    failures: list[str] = []
    recorder = Recorder(lambda record: None, [*all_probes(), Broken()], lambda name, error: failures.append(name))
    recorder.start()
    train(5)
    recorder.stop()
    assert failures == ["broken"]
    assert recorder.num_steps == 5
    assert recorder.tap.off["broken"] == "ZeroDivisionError: ours"


def test_threads_that_train_side_by_side_do_not_mix() -> None:
    with watching() as watched:
        threads = [threading.Thread(target=train, args=(20,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert watched.num_steps == 40
    assert not any(g.used_by or g.discarded for s in watched.steps for g in s.gradients)


def test_a_step_that_calls_its_base_class_is_one_step() -> None:
    class Mine(torch.optim.SGD):
        def step(self, closure=None):  # type: ignore[no-untyped-def, override]
            return super().step(closure)

    class Failing(torch.optim.SGD):
        num_calls = 0

        def step(self, closure=None):  # type: ignore[no-untyped-def, override]
            self.num_calls += 1
            if self.num_calls == 1:
                raise ValueError
            return super().step(closure)

    with watching() as watched:
        train(1)  # makes torch hook the base class too
        train(3, Mine)
        with contextlib.suppress(ValueError):
            train(1, Failing)
        assert watched.num_steps == 5

        model = torch.nn.Linear(3, 2)
        optimizer = Failing(model.parameters(), lr=0.1)
        for _ in range(3):
            with contextlib.suppress(ValueError):
                optimizer.step()
    assert watched.num_steps == 8


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
def test_scripting_finds_the_names_of_its_caller() -> None:
    def twice(x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    with watching():
        scripted = torch.jit.script(twice)

        @torch.jit.script
        def four_times(x: torch.Tensor) -> torch.Tensor:
            return twice(twice(x))

    assert scripted(torch.ones(1)).item() == 2
    assert four_times(torch.ones(1)).item() == 4


def by_method(loss: torch.Tensor) -> None:
    loss.backward()  # type: ignore[no-untyped-call]


def by_function(loss: torch.Tensor) -> None:
    torch.autograd.backward(loss)


def by_function_of_several(loss: torch.Tensor) -> None:
    torch.autograd.backward([loss], [torch.ones(())])


@pytest.mark.parametrize("spelling", [by_method, by_function, by_function_of_several])
def test_a_backward_is_told_at_its_own_line(spelling: Callable[[torch.Tensor], None]) -> None:
    with watching() as watched:
        model = torch.nn.Linear(3, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        spelling(model(torch.ones(4, 3)).square().mean())
        optimizer.step()
    (site,) = [backward.site for step in watched.steps for backward in step.backwards]
    assert site is not None and (site.file, site.line) == (__file__, spelling.__code__.co_firstlineno + 1)
