"""The worker as the dashboard runs it: lines in, lines out."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from surefoot.lab.descent.worker import Requests, answer


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    """A worker has one thread; this process keeps its own."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


class Asked(Requests):
    """One request that is wanted a number of times."""

    def __init__(self, num: float) -> None:
        self.num = num

    def is_wanted(self, number: int) -> bool:
        self.num -= 1
        return self.num >= 0


def test_settings_become_paths() -> None:
    told = answer(Asked(float("inf")), 1, {"steps": 3, "paths": [{}, {"rate": 0.3}]}, 60.0)
    assert [len(path["loss"]) for path in told["paths"]] == [4, 4]


def test_what_is_wrong_is_told_by_field() -> None:
    assert set(answer(Asked(1), 1, {"paths": [{"rate": 0}]}, 60.0)["fields"]) == {"paths.0.rate"}


@pytest.mark.parametrize("num", [0, 1, 2, 20])
def test_what_is_not_wanted_any_more_is_left(num: int) -> None:
    assert answer(Asked(num), 1, {"paths": [{}]}, 60.0) == {"stopped": True}


def test_too_long_is_told() -> None:
    told = answer(Asked(float("inf")), 1, {"paths": [{}]}, 0.0)
    assert "takes more than 0 s" in told["error"]


def test_a_process_answers_in_order_and_ends_with_its_input() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "surefoot.lab.descent.worker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    with process, process.stdout as lines:

        def told(request: dict[str, Any]) -> Any:
            process.stdin.write(json.dumps(request) + "\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            return json.loads(next(lines))

        assert told({"id": 1, "settings": {"paths": [{"rate": "x"}]}})["fields"]
        found = told({"id": 2, "settings": {"steps": 2, "paths": [{}]}})
        assert found["id"] == 2 and found["paths"][0]["w0"] == [3.0, pytest.approx(2.1), pytest.approx(1.47)]
        process.stdin.close()
        assert process.wait(30) == 0
