"""Readers of our files, given anything. `python -m benchmarks.fuzz` finds more; what it found is kept here."""

from pathlib import Path

import pytest
from benchmarks.fuzz.runs import make_runs
from benchmarks.fuzz.targets import TARGETS, seeds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surefoot.runlog.read.run import load_run

KEPT = sorted((Path(__file__).parent / "files" / "fuzzed").iterdir())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("fuzzed")
    make_runs(made)
    return made


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.name)
def test_what_was_found_once(file: Path, folder: Path) -> None:
    TARGETS[file.name.rpartition("-")[0]](file.read_bytes(), folder)


@pytest.mark.parametrize("name", TARGETS)
def test_what_the_fuzzer_begins_with(name: str, folder: Path) -> None:
    for data in seeds(name, folder)[:12]:
        TARGETS[name](data, folder)


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=400))
def test_any_bytes(name: str, folder: Path, data: bytes) -> None:
    TARGETS[name](data, folder)


def test_a_block_that_is_no_row_is_named(folder: Path) -> None:
    TARGETS["tail_records"](b"no row", folder)
    (problem,) = load_run(next((folder / "log").iterdir())).problems
    assert "holds what is no row" in problem and ".tail-0" in problem
