"""Heatmaps and histograms."""

import math
from pathlib import Path

import pytest

from surefoot.dashboard.data.encode import plain
from surefoot.dashboard.data.heatmap import heatmap
from surefoot.dashboard.data.hists import hists
from surefoot.dashboard.data.tracks import Memory
from surefoot.facts import ActivationFacts, ParameterFacts, SetupFacts, SignalFacts, encode
from surefoot.runlog.chunk import COUNT, pack_numbers
from surefoot.runlog.read import read_process
from tests.dashboard.client import Client
from tests.dashboard.conftest import TRAIN
from tests.runlog.making import LogFile


def test_layers_by_steps(tmp_path: Path) -> None:
    with LogFile(tmp_path / "rank-0.db") as file:
        values = {"grad_norm/b": [1.0, 4.0, math.nan, 2.0], "grad_norm/a": [0.5, 0.25, 0.125, math.inf]}
        file.log([1, 2, 11, 12], loss=[1.0] * 4, grad_norm=[9.0] * 4, **values)
        file.log([12], **{"optimizer-2/grad_norm/c": [3.0], "my/grad_norm/d": [7.0]})
    process = read_process(file.file)
    told = plain(heatmap(process, Memory(), "grad_norm", None, None, 2))
    assert told["rows"] == ["b", "a", "optimizer-2/c"], "in the order of the model"
    assert (told["steps"], told["last_step"]) == ([1, 7], 12)
    assert told["values"] == [[4, "NaN"], [0.5, "Infinity"], [None, 3]]
    assert (told["low"], told["high"]) == (0.5, 4)
    few = plain(heatmap(process, Memory(), "grad_norm", None, None, 200))
    assert few["steps"] == [1, 2, 11, 12], "few samples have a column each"
    part = plain(heatmap(process, Memory(), "grad_norm", 2, 11, 200))
    assert part["values"] == [[4, "NaN"], [0.25, 0.125]]


def test_rows_stand_as_in_the_model(tmp_path: Path) -> None:
    """Series come in any order, and as text "10" is less than "2"."""
    names = ["2.weight", "2.bias", "10.weight", "10.bias"]
    with LogFile(tmp_path / "rank-0.db") as file:
        file.log([1], **{f"grad_norm/{name}": [1.0] for name in ["other", *sorted(names)]})
        for some in (names[:2], names):  # what exists is told again when there is more
            facts = SetupFacts(at=1, parameters=tuple(ParameterFacts(name, 1) for name in some))
            file.record("SetupFacts", 1, encode(facts))
    told = plain(heatmap(read_process(file.file), Memory(), "grad_norm", None, None, 200))
    assert told["rows"] == [*names, "other"]


def test_no_gradient_is_not_nan(tmp_path: Path) -> None:
    """Both are NaN in the log; but a gradient that is NaN moves the weights to NaN."""
    nan, inf = math.nan, math.inf
    with LogFile(tmp_path / "rank-0.db") as file:
        file.log(
            [1, 2, 3, 4],
            **{"grad_norm/a": [1.0, nan, nan, inf], "update_ratio/a": [0.1, 0.0, nan, 0.0]},
            **{"grad_norm/b": [nan, nan, nan, nan]},
        )
    process = read_process(file.file)
    told = plain(heatmap(process, Memory(), "grad_norm", None, None, 200))
    assert told["values"] == [[1, "-Infinity", "NaN", "Infinity"], ["NaN"] * 4]
    assert (told["low"], told["high"]) == (1, 1)
    few = plain(heatmap(process, Memory(), "grad_norm", 1, 2, 1))
    assert few["values"][0] == [1], "what there is counts more than what is missing"


def test_activations_come_from_the_facts(tmp_path: Path) -> None:
    with LogFile(tmp_path / "rank-0.db") as file:
        for step in (1, 5):
            active = ActivationFacts("net.0", "Tanh", mean=step / 10, zeros=0.0, flat=0.5)
            plain_ = ActivationFacts("net.1", "Linear", mean=1.0)
            facts = SignalFacts(at=step, index=step, optimizer=1, update=step, activations=(active, plain_))
            file.record("SignalFacts", step, encode(facts))
    process = read_process(file.file)
    told = plain(heatmap(process, Memory(), "act_mean", None, None, 200))
    assert (told["rows"], told["steps"]) == (["net.0", "net.1"], [1, 5])
    assert told["values"] == [[0.1, 0.5], [1, 1]]
    assert plain(heatmap(process, Memory(), "act_zeros", None, None, 200))["values"] == [[0, 0], [0, 0]]
    assert plain(heatmap(process, Memory(), "act_flat", None, None, 200))["rows"] == ["net.0"]


def test_nothing_was_measured(client: Client) -> None:
    told = client.get(f"/api/runs/{TRAIN}/heatmap?of=act_mean").json()
    assert (told["rows"], told["values"], told["low"]) == ([], [], None)
    assert client.get(f"/api/runs/{TRAIN}/heatmap?of=nonsense").status_code == 400
    assert client.get(f"/api/runs/{TRAIN}/hists?name=weights/none").json()["steps"] == []


@pytest.fixture
def with_hists(tmp_path: Path) -> Path:
    with LogFile(tmp_path / "rank-0.db") as file:
        file.connection.execute("INSERT INTO series (kind, name, place) VALUES ('hist', 'weights/a', '')")
        for number, edges in enumerate(([0.0, 1.0], [0.0, 1.0, 2.0])):
            file.connection.execute("INSERT INTO edges VALUES (?, ?)", (number, pack_numbers(edges)))
        for step in range(10):
            counts = pack_numbers([step], COUNT) if step == 0 else pack_numbers([step, 1], COUNT)
            row = (step, 100.0 + step, 1, int(step > 0), counts)
            file.connection.execute("INSERT INTO hists (step, time, series, edges, counts) VALUES (?, ?, ?, ?, ?)", row)
    return file.file


def test_histograms_over_time(with_hists: Path) -> None:
    told = plain(hists(read_process(with_hists), "weights/a", 0, 100))
    assert (told["edges"], told["steps"]) == ([0, 1, 2], list(range(1, 10)))
    assert told["counts"][3] == [4, 1] and told["times"][0] == 101
    some = plain(hists(read_process(with_hists), "weights/a", 2, 9, 3))
    assert some["steps"] == [2, 5, 9]
