"""What can be seen of several ranks in one process: the rhythm of notes, sizes of messages, sums of weights."""

import sys
from types import SimpleNamespace

import pytest
import torch
import torch.distributed as dist
from torch import nn

from surefoot.watch.dist.note import is_noted
from surefoot.watch.dist.replica import read_weights
from surefoot.watch.dist.traffic import Traffic, number_of_all
from surefoot.watch.dist.wrapper import Wrappers
from surefoot.watch.inventory.registry import Registry
from surefoot.watch.probe import Probe
from tests.watch.watching import watching


def test_notes_come_at_powers_of_two_and_then_at_fixed_distances() -> None:
    assert [n for n in range(1, 1100) if is_noted(n)] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 768, 1024]


def test_equal_weights_have_equal_numbers_and_one_element_changes_them() -> None:
    params = [nn.Parameter(torch.randn(5, 7)), nn.Parameter(torch.randn(1000, dtype=torch.bfloat16))]
    before = read_weights(params)
    assert before is not None and before == read_weights([p.clone() for p in params])
    assert (before.firsts, before.num_elements, before.resolution) == ((0, 1), 1035, 0.0078125)
    with torch.no_grad():
        params[0][0, 0] += 1
    after = read_weights(params)
    assert after is not None and after.checksum != before.checksum
    assert after.sums[0] - before.sums[0] == pytest.approx(1, rel=1e-6)
    assert after.sums[1] == before.sums[1]


def test_weights_that_can_not_be_compared_are_not_read() -> None:
    assert read_weights([]) is None
    assert read_weights([torch.zeros(0)]) is None
    assert read_weights([torch.zeros(3, dtype=torch.long)]) is None
    assert read_weights([torch.zeros(3, device="meta")]) is None


class Silent(Probe):
    name = "silent"


@pytest.fixture
def group(tmp_path: object) -> object:
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield dist.group.WORLD
    if dist.is_initialized():
        dist.destroy_process_group()


def test_small_messages_are_left_out_and_large_ones_counted(group: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[Traffic.__module__], "num_ranks", lambda: 2)
    probe, traffic = Silent(), Traffic()
    with watching([probe]) as recorder:
        traffic.install(recorder, probe)
        traffic.num_bytes = 40_000
        first = traffic.mark()
        assert first is not None
        dist.all_reduce(torch.ones(9))
        dist.barrier()
        assert traffic.mark() == first
        recorder.num_steps = 1
        dist.all_gather([torch.ones(4)], torch.ones(4))
        assert traffic.mark() == first
        dist.all_reduce(torch.ones(2))  # with what was sent before, since the last step, it may be gradients
        second = traffic.mark()
        assert second is not None and second[0] > first[0] and second[1] == 1
        dist.destroy_process_group()
    monkeypatch.undo()
    assert traffic.mark() == second  # what was sent last is known when the group has gone


@pytest.mark.parametrize(
    ("num_bytes", "sent", "small"),
    [(3216, 1, True), (3216, 8, True), (3216, 25, False), (640, 5, False), (1200, 8, False)],
)
def test_numbers_for_the_log_are_small_beside_a_small_model(num_bytes: int, sent: int, small: bool) -> None:
    """25 of 804 elements are as many bytes as one bit of each of them, as some send their gradients."""
    traffic = Traffic()
    traffic.num_bytes = num_bytes
    assert traffic._is_small((torch.ones(sent),), 0) is small


class Part:
    def __init__(self, name: str, number: int) -> None:
        self.name = lambda: name
        self._get_sequence_number_for_group = lambda: number


class Group:
    """Sends from the host in one way, from another device in another."""

    _device_types = ("cpu", "cuda")

    def __init__(self, **parts: Part) -> None:
        self._get_backend = parts.__getitem__

    def _get_sequence_number_for_group(self) -> int:
        raise RuntimeError("not supported")


@pytest.mark.parametrize(
    ("backend", "group", "number"),
    [
        ("undefined", Group(cpu=Part("gloo", 3), cuda=Part("nccl", 4)), 7),
        ("undefined", Group(cpu=Part("gloo", 3), cuda=Part("own", 4)), None),
        ("nccl", Group(), None),
    ],
)
def test_groups_are_believed_if_they_count_all_they_send(
    backend: str, group: Group, number: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dist.distributed_c10d, "_world", SimpleNamespace(pg_map={group: (backend, None)}))
    monkeypatch.setattr(sys.modules[Traffic.__module__], "num_ranks", lambda: 2)
    assert number_of_all() == number
    assert Traffic().mark() == (None if number is None else (number, 0))


@pytest.mark.parametrize("backend", [None, "gloo", "cpu:gloo"])
def test_all_ways_to_name_a_backend_count(backend: str | None) -> None:
    dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
    before = number_of_all()
    dist.all_reduce(torch.ones(1))
    after = number_of_all()
    dist.destroy_process_group()
    assert before is not None and after == before + 1


def test_wrappers_are_found_with_what_they_ignore_and_subclasses_left_alone(
    group: object, only_own_models: None
) -> None:
    class Own(nn.parallel.DistributedDataParallel):
        def forward(self, *inputs: object, **kwargs: object) -> object:
            return self.module(*inputs, **kwargs)

    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    nn.parallel.DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(net, ["1.bias"])
    plain = nn.parallel.DistributedDataParallel(net)
    found, modules = Wrappers(), Registry()
    modules.scan()
    found.find(modules.alive())
    (wrapper,) = found.all()
    assert wrapper.module() is plain and wrapper.kind == "Sequential"
    assert wrapper.ids == {id(p) for name, p in net.named_parameters() if name != "1.bias"}
    assert not found.has_others and wrapper.syncs and not wrapper.has_hooks
    own = Own(nn.Linear(2, 1))
    modules.scan()
    found.find(modules.alive())
    assert [w.module() for w in found.all()] == [plain]
    assert found.has_others and own is not None


def test_one_rank_alone_notes_nothing(group: object) -> None:
    model = nn.parallel.DistributedDataParallel(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watching() as recorder:
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.randn(8, 4)).square().mean().backward()
            optimizer.step()
    assert all(step.replica is None and step.unsynced == () for step in recorder.steps)
