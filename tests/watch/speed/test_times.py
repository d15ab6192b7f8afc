"""What the facts about time are made of. No time is asserted, only which of them is larger."""

import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from surefoot.facts import EpochFacts, Site
from surefoot.watch.speed.recompile import RecompileProbe
from tests.watch.record import records_of

WAITS = """
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        time.sleep(0.5 if FIRST and i == 0 else 0.01)
        return torch.ones(2)


for FIRST in (True, False):
    for x in DataLoader(Slow(), batch_size=1):
        time.sleep(0.001)
"""


def test_waiting_is_part_of_the_time_of_a_pass_but_for_its_first_batch(tmp_path: Path) -> None:
    first, second = [r for r in records_of(WAITS, tmp_path / "waits.py") if isinstance(r, EpochFacts)]
    for one in (first, second):
        assert 0.03 <= one.wait_seconds <= one.seconds - 0.003  # three batches, four rounds of the loop
        assert one.num_workers == 0
    assert first.wait_seconds < 0.5


def compiled(reason: str | None, **fields: Any) -> SimpleNamespace:
    values = {
        "co_filename": "/home/me/net.py", "co_firstlineno": 8, "co_name": "forward", "fail_type": None,
        "entire_frame_compile_time_s": 0.5, "recompile_reason": reason, "start_time": time.time() + 1,
    }  # fmt: skip
    return SimpleNamespace(**{**values, **fields})


STACK = 'User stack trace:\n  File "/home/me/net.py", line 12, in forward\n    self.n += 1'
COUNTER = [compiled(f"0/{i}: self.n == {i}      # self.n += 1  # net.py:12 in forward\n{STACK}") for i in range(7)]
SIZES = [compiled(f"0/{i}: tensor 'x' size mismatch at index 0. expected {i}, actual {i + 1}") for i in range(7)]
OLD = [compiled(None, start_time=1.0) for _ in range(8)]


@pytest.fixture
def probe() -> RecompileProbe:
    probe = RecompileProbe()
    probe.install(SimpleNamespace(sites=SimpleNamespace(is_user=lambda file: file.startswith("/home/me"))))  # type: ignore[arg-type]
    return probe


def test_one_reason_again_and_again_up_to_the_limit(probe: RecompileProbe) -> None:
    (counter,) = probe._repeated([compiled(None), *COUNTER], 8)
    assert (counter.function, counter.num_compiles, counter.what, counter.seconds) == ("forward", 8, "self.n", 4.0)
    assert counter.site == Site("/home/me/net.py", 12, "forward")
    (size,) = probe._repeated([compiled(None), *SIZES], 8)
    assert size.what == "tensor 'x' size mismatch at index 0" and size.site == Site("/home/me/net.py", 8, "forward")
    library = [compiled(r.recompile_reason, co_filename="/lib/x.py") for r in SIZES]
    assert [one.site for one in probe._repeated([compiled(None, co_filename="/lib/x.py"), *library], 8)] == [None]


@pytest.mark.parametrize(
    ("compiles", "most"),
    [
        ([compiled(None), *COUNTER[:6]], 8),  # below the limit
        ([compiled(None), *COUNTER], 16),  # which the program has raised
        ([compiled(None), *COUNTER[:3], *SIZES[:4]], 8),  # for different reasons
        ([compiled(None), *(compiled(r.recompile_reason, fail_type="Unsupported") for r in COUNTER)], 8),
    ],
)
def test_other_compilations_are_not_told(probe: RecompileProbe, compiles: list[Any], most: int) -> None:
    assert list(probe._repeated(compiles, most)) == []


def test_what_was_compiled_before_the_watch_is_not_told(probe: RecompileProbe, monkeypatch: pytest.MonkeyPatch) -> None:
    dynamo = SimpleNamespace(get_compilation_metrics=lambda: [*OLD, *COUNTER])
    monkeypatch.setitem(sys.modules, "torch._dynamo.utils", dynamo)
    monkeypatch.setitem(sys.modules, "torch._dynamo.config", SimpleNamespace(recompile_limit=8))
    assert probe.end_facts() == {"recompiles": ()}
    monkeypatch.delitem(sys.modules, "torch._dynamo.utils")
    assert probe.end_facts() == {}
