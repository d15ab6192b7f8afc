"""Runs go on with other numbers of processes, and in other ways, to the same weights; replicas are written once."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from surefoot.loop.checkpoint.file import load
from surefoot.loop.parallel.copies import COPY
from surefoot.loop.parallel.reshard import refusal
from tests.loop.checkpoint.test_old import OLD
from tests.loop.parallel import reshard_cases as cases
from tests.loop.parallel.processes import Team


@pytest.fixture(scope="module")
def undisturbed() -> Any:
    return cases.train(*cases.make(None, None, 0, 1))


def assert_near(found: Any, expected: Any) -> None:
    for one, other in zip(found, expected, strict=True):
        for a, b in zip(one, other, strict=True):
            assert a == pytest.approx(b, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("way", ["ddp", "fsdp"])
def test_two_ranks_then_one_then_the_other_way(pair: Team, tmp_path: Path, way: str, undisturbed: Any) -> None:
    pair.call(cases.on_a_team, "saved", str(tmp_path / "two"), way)
    shutil.copytree(tmp_path / "two", tmp_path / "one")
    found, said = cases.resumed(str(tmp_path / "one"), None, 0, 1)
    assert_near(found, undisturbed)
    assert any("goes on with 1 process, and was saved with 2 processes" in text for text in said)
    other = "fsdp" if way == "ddp" else "ddp"
    for ended, _ in pair.call(cases.on_a_team, "resumed", str(tmp_path / "two"), other):
        assert_near(ended, undisturbed)


def test_one_process_then_two_that_share_the_weights(pair: Team, tmp_path: Path, undisturbed: Any) -> None:
    cases.saved(str(tmp_path), None, 0, 1)
    for found, _ in pair.call(cases.on_a_team, "resumed", str(tmp_path), "fsdp"):
        assert_near(found, undisturbed)


def test_replicas_are_written_once(pair: Team, tmp_path: Path) -> None:
    pair.call(cases.on_a_team, "saved", str(tmp_path), "ddp")
    first, second = (load(path) for path in sorted(tmp_path.glob("*.pt")))
    assert isinstance(first["models"][""]["0.weight"], torch.Tensor)
    assert second["models"][""]["0.weight"] == {COPY: True}
    assert second["optimizers"][""]["state"][0]["exp_avg"] == {COPY: True}
    assert second["averages"][""]["averages"][0] == {COPY: True}


def state_of(sampler: str = "DistributedSampler", num_drawn: int = 6, inside: int = 0, **more: Any) -> dict[str, Any]:
    data = {"has_ended": False, "num_drawn": num_drawn, "traits": {"sampler": sampler}, "earlier": [], **more}
    return {"ranks": {"size": 4}, "windows": {"": {"num_micro_batches": inside}}, "data": data}


def test_a_place_that_can_not_be_shared_out_anew_is_refused() -> None:
    assert refusal(state_of(), 2) is None
    assert refusal(state_of(num_drawn=0, sampler="RandomSampler"), 2) is None
    assert refusal(state_of(has_ended=True, sampler="RandomSampler"), 2) is None
    assert "inside a window of 4 processes" in str(refusal(state_of(inside=1), 2))
    for state, size in ((state_of("RandomSampler"), 1), (state_of(num_drawn=3), 5), (state_of(loader={}), 2)):
        assert "after" in str(refusal(state, size))
        assert "batches on each of 4 processes" in str(refusal(state, size))


def test_what_version_0_1_saved_on_two_ranks(pair: Team, tmp_path: Path) -> None:
    shutil.copytree(OLD / "fsdp", tmp_path / "run")
    for found in pair.call(cases.from_old, str(tmp_path / "run")):
        assert found[3] == pytest.approx([0.6039415597915649], rel=1e-6)
        assert found[0][:2] == pytest.approx([0.6784487962722778, 0.672488808631897], rel=1e-6)
    with pytest.raises(ValueError, match=r"is of 2 processes and of an older version, and this run has 1"):
        cases.make(str(OLD / "fsdp"), None, 0, 1)[1].resume()
