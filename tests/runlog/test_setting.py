"""Settings and labels of a run: flattened, typed, masked, and back by every way of reading."""

import argparse
import dataclasses
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pytest
import torch

import surefoot as sf
from surefoot.cli.main import main
from surefoot.runlog.setting import flat


@dataclasses.dataclass
class Optim:
    lr: float = 0.1
    betas: tuple[float, float] = (0.9, 0.99)


class Odd:
    def __repr__(self) -> str:
        raise AssertionError("objects of the program are not asked for their text")


def test_what_is_inside_others_is_named_with_a_dot() -> None:
    given = argparse.Namespace(optim=Optim(), data={"path": PurePosixPath("/d"), "sizes": {"train": 3}}, _private=1)
    assert flat(given) == {
        "optim.lr": 0.1,
        "optim.betas": [0.9, 0.99],
        "data.path": "/d",
        "data.sizes.train": 3,
    }


def test_values_are_plain_and_keep_their_type() -> None:
    given: dict[Any, Any] = {
        "flag": True, "rate": np.float32(0.5), "seed": np.int64(3), "dtype": torch.bfloat16, "odd": Odd(), "loss": len,
        "batch": torch.zeros(2, 3), "kinds": {"b", "a"}, 7: None, "empty": {},
    }  # fmt: skip
    found = flat(given)
    assert found == {
        "flag": True, "rate": 0.5, "seed": 3, "dtype": "torch.bfloat16", "odd": "tests.runlog.test_setting.Odd",
        "loss": "builtins.len", "batch": "Tensor(2, 3)", "kinds": ["a", "b"], "7": None, "empty": [],
    }  # fmt: skip
    assert [type(value) for value in found.values()][:3] == [bool, float, int]


def test_secrets_are_masked_at_any_depth() -> None:
    found = flat({"hub": {"hf_token": "abcdefgh", "pad_token": "<pad>"}, "urls": ["postgres://me:word@h/db"]})
    assert found == {"hub.hf_token": "…", "hub.pad_token": "<pad>", "urls": ["postgres://me:…@h/db"]}


@pytest.mark.parametrize("given", [5, "lr=0.1", [("lr", 0.1)]])
def test_what_has_no_names_is_refused(given: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="settings are a dict, a dataclass or a namespace"):
        sf.start_run(tmp_path / "runs", config=given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tags": ["a,b"]}, "a tag is a short text without commas"),
        ({"group": 3}, "the group of a run must be a string"),
    ],
)
def test_wrong_labels_are_refused(given: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        sf.start_run(tmp_path / "runs", **given)


def test_every_reader_tells_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = tmp_path / "runs"
    for lr, tag in ((0.1, "old"), (0.01, "new")):
        config = {"lr": lr, "layers": [2, 3], "bias": False, "norm": None}
        with sf.start_run(runs, name="wide", config=config, tags=tag, group="width", notes="twice") as run:
            run.log({"acc": lr})
    opened = sf.open(runs)
    by_rate = {run.settings["lr"].value: run for run in opened}  # of one second: their names may sort either way
    old, new = by_rate[0.1], by_rate[0.01]
    assert new.labels.tags == ("new",)
    rows = old.sql("select name, value, number, type, source from settings order by name").rows()
    assert [tuple(row) for row in rows[:4]] == [
        ("bias", "false", 0.0, "bool", "config"), ("layers", "[2, 3]", None, "list", "config"),
        ("lr", "0.1", 0.1, "float", "config"), ("norm", None, None, "none", "config"),
    ]  # fmt: skip
    told = new.sql("select name, run_group, tags, notes from runs").rows()
    assert tuple(told[0]) == ("wide", "width", "new", "twice")

    def said(*args: str) -> str:
        assert main([*args, "--log", str(runs)]) == 0
        return capsys.readouterr().out

    assert ["lr", "0.01", "config"] in [line.split() for line in said("show", new.name).splitlines()]
    compared = [line.split() for line in said("compare", old.name, new.name).splitlines()]
    assert ["lr", "0.1", "0.01"] in compared
    assert not any(line[:1] == ["layers"] for line in compared)
    listed = said("runs", "--tag", "old", "--group", "width", "--settings", "lr,layers").splitlines()
    assert len(listed) == 2
    assert listed[1].split()[0] == old.name
    assert listed[1].endswith("0.1  [2, 3]")
