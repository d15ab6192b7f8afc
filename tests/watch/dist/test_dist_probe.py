"""What the probe tells of windows. One process with a group of its own stands for one of two ranks."""

import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook

from surefoot.facts import EndFacts, StepFacts
from surefoot.watch.dist.dist_probe import DistProbe
from surefoot.watch.dist.traffic import Traffic
from surefoot.watch.dist.wrapper import Wrapper
from tests.watch.watching import Watched, watching


@pytest.fixture(autouse=True)
def two_ranks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def make(self: Wrapper, module: Any, number: int) -> None:
        original(self, module, number)
        self.num_ranks = 2

    original = Wrapper.__init__
    gc.collect()  # wrappers of other tests
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    for cls in (Traffic, DistProbe):
        monkeypatch.setattr(sys.modules[cls.__module__], "num_ranks", lambda: 2 if dist.is_initialized() else 1)
    monkeypatch.setattr(Wrapper, "__init__", make)
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


class Program:
    def __init__(self, *, wrapped: bool = True) -> None:
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))
        self.model: Any = nn.parallel.DistributedDataParallel(self.net) if wrapped else self.net
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.01)

    def backward(self, model: nn.Module) -> None:
        model(torch.randn(8, 4)).square().mean().backward()

    def step(self) -> None:
        self.optimizer.step()
        self.optimizer.zero_grad()

    def average(self) -> None:
        for param in self.net.parameters():
            dist.all_reduce(param.data)


def end(recorder: Watched) -> EndFacts:
    recorder.tap.run("end", recorder.emit_end, "finished")
    found = recorder.records[-1]
    assert isinstance(found, EndFacts)
    return found


def kinds(step: StepFacts | EndFacts) -> list[tuple[str, int]]:
    return [(facts.kind, facts.num_steps) for facts in step.unsynced]


def test_synchronised_steps_are_noted_at_fixed_updates() -> None:
    with watching() as recorder:
        program = Program()
        for _ in range(5):
            program.backward(program.model)
            program.step()
    notes = [step.replica for step in recorder.steps if step.replica is not None]
    assert [note.update for note in notes] == [1, 2, 4]
    assert all(note.checksum is not None and note.marks and note.num_items == 8 for note in notes)
    assert notes[0].names[0].endswith("weight") and notes[0].num_elements == 65
    assert not any(step.unsynced for step in recorder.steps)


def test_the_inner_module_is_trained_past_the_wrapper() -> None:
    with watching() as recorder:
        program = Program()
        for _ in range(3):
            program.backward(program.net)
            program.step()
        found = end(recorder)
    assert [kinds(step) for step in recorder.steps] == [[("bypassed", n)] for n in (1, 2, 3)]
    assert kinds(found) == [("bypassed", 3)]
    assert found.unsynced[0].site == recorder.steps[-1].site and found.unsynced[0].model == "Sequential"
    assert all(step.replica is None or step.replica.checksum is None for step in recorder.steps)


@pytest.mark.parametrize(
    ("convert", "expected"),
    [
        (lambda program: program.model.float(), []),  # it is float
        (lambda program: program.net.double(), [("converted", 1)]),
        (lambda program: program.model.to(torch.bfloat16), [("converted", 1)]),
    ],
)
def test_hooks_are_lost_with_the_memory_of_all_parameters(
    convert: Callable[[Program], nn.Module], expected: list[tuple[str, int]]
) -> None:
    with watching() as recorder:
        program = Program()
        convert(program).float()
        program.backward(program.model)
        program.step()
        assert kinds(end(recorder)) == expected


def test_a_wrapper_built_after_a_conversion_hears_of_it() -> None:
    with watching() as recorder:
        program = Program()
        program.net.double().float()
        program.model = nn.parallel.DistributedDataParallel(program.net)
        program.backward(program.model)
        program.step()
        found = end(recorder)
    assert kinds(found) == []


def test_a_synchronised_step_follows_upon_one_that_is_not() -> None:
    with watching() as recorder:
        program = Program()
        with program.model.no_sync():
            program.backward(program.model)
        program.step()
        program.backward(program.model)
        program.step()
        found = end(recorder)
    first, second = recorder.steps
    assert kinds(first) == [("no-sync", 1)] and not first.unsynced[0].backward_syncs
    assert kinds(second) == [("no-sync", 1)] and second.unsynced[0].is_followed
    assert second.unsynced[0].site == first.site
    assert found.unsynced == ()


def test_the_forward_decides_and_not_the_backward() -> None:
    with watching() as recorder:
        program = Program()
        with program.model.no_sync():
            loss = program.model(torch.randn(8, 4)).square().mean()
        loss.backward()
        program.step()
        loss = program.model(torch.randn(8, 4)).square().mean()
        with program.model.no_sync():
            loss.backward()
        program.step()
    first, second = recorder.steps
    assert kinds(first) == [("no-sync", 1)] and first.unsynced[0].backward_syncs
    assert ("needless", 1) in kinds(second)


def test_weights_that_are_averaged_now_and_then_mend_the_steps_before() -> None:
    with watching() as recorder:
        program = Program()
        with program.model.no_sync():
            for i in range(6):
                program.backward(program.model)
                program.step()
                if i % 2 == 1:
                    program.average()
            program.backward(program.model)
            program.step()
        found = end(recorder)
    assert [kinds(step) for step in recorder.steps[:2]] == [[("no-sync", 1)], [("no-sync", 2)]]
    assert not any(step.unsynced for step in recorder.steps[2:])
    assert found.unsynced == ()


def test_the_wrong_micro_batch_of_a_window_is_synchronised() -> None:
    with watching() as recorder:
        program = Program()
        for _ in range(3):
            program.backward(program.model)
            with program.model.no_sync():
                program.backward(program.model)
            program.step()
    assert [kinds(step) for step in recorder.steps] == [[("no-sync", 1)]] * 3
    assert all(step.unsynced[0].is_partly_sent for step in recorder.steps)


def test_a_window_ends_synchronised() -> None:
    with watching() as recorder:
        program = Program()
        for _ in range(2):
            with program.model.no_sync():
                program.backward(program.model)
            program.backward(program.model)
            program.step()
    assert not any(step.unsynced for step in recorder.steps)


def test_a_model_without_a_wrapper_until_something_is_sent() -> None:
    with watching() as recorder:
        program = Program(wrapped=False)
        for _ in range(3):
            program.backward(program.net)
            program.step()
        before = end(recorder)
        program.average()
        program.backward(program.net)
        program.step()
        dist.destroy_process_group()
        after = end(recorder)
    assert kinds(before) == [("unwrapped", before.num_steps)]
    assert recorder.steps[-1].unsynced == after.unsynced == ()


def test_what_a_hook_sends_is_its_own_business() -> None:
    program = Program()
    program.model.register_comm_hook(None, allreduce_hook)
    wrapper = Wrapper(program.model, 1)
    assert wrapper.has_hooks
