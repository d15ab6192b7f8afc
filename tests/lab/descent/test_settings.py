"""What can't be used is named, each by its field, and all at once."""

from typing import Any

import pytest

from surefoot.lab.descent.catalogue import OPTIMIZERS, PATH, SCHEDULES
from surefoot.lab.descent.settings import SettingsError, read_settings


def wrong(given: Any) -> dict[str, str]:
    with pytest.raises(SettingsError) as caught:
        read_settings(given)
    return caught.value.fields


def test_defaults_are_the_bowl() -> None:
    (path,) = read_settings({"paths": [{}]})
    assert (path.surface.name, path.start, path.optimizer, path.rate) == ("bowl", (3.0, 2.0), "SGD", 0.15)
    assert (path.schedule, path.noise, path.accumulate, path.forget_zero) == ("constant", "batch", 1, False)


def test_a_surface_brings_its_start_and_spread() -> None:
    (path,) = read_settings({"surface": "rosenbrock", "paths": [{}]})
    assert path.start == (-1.2, 1.0) and path.spread == 10.0
    (path,) = read_settings({"surface": "rosenbrock", "start": [0, 1], "spread": 1, "paths": [{}]})
    assert path.start == (0.0, 1.0) and path.spread == 1.0


@pytest.mark.parametrize(
    ("path", "field", "why"),
    [
        ({"rate": -0.1}, "rate", "Learning rate must be above 0 and at most 1000, got -0.1."),
        ({"rate": 0}, "rate", "above 0"),
        ({"rate": float("nan")}, "rate", "got nan"),
        ({"rate": float("inf")}, "rate", "got inf"),
        ({"rate": "nan"}, "rate", "must be a number, got 'nan'"),
        ({"rate": True}, "rate", "must be a number"),
        ({"rate": None}, "rate", "must be a number"),
        ({"rate": 10**400}, "rate", "very many digits"),
        ({"momentum": 1}, "momentum", "below 1"),
        ({"optimizer": "Muon"}, "optimizer", "must be one of SGD, RMSprop"),
        ({"optimizer": ["SGD"]}, "optimizer", "must be one of"),
        ({"optimizer": {}}, "optimizer", "must be one of"),
        ({"optimizer": "Adam", "momentum": 0.9}, "momentum", "no setting 'momentum' here"),
        ({"__class__": 1}, "__class__", "no setting"),
        ({"nesterov": True}, "nesterov", "needs a momentum"),
        ({"nesterov": 1}, "nesterov", "true or false"),
        ({"schedule": "plateau"}, "schedule", "must be one of constant"),
        ({"schedule": "warmup_cosine", "warmup": 50}, "warmup", "fewer than the 50"),
        ({"schedule": "one_cycle", "pct_start": 0.02}, "pct_start", "more than one update"),
        ({"schedule": "one_cycle", "optimizer": "Adagrad", "cycle_momentum": True}, "cycle_momentum", "no momentum"),
        ({"noise": "none"}, "noise", "must be one of batch, mini, single"),
        ({"batch_size": 65}, "batch_size", "from 1 to 64"),
        ({"accumulate": 1.5}, "accumulate", "whole number"),
        ({"accumulate": 0}, "accumulate", "from 1 to 64"),
        ({"accumulate": float("inf")}, "accumulate", "whole number"),
        ({"clip_norm": -1}, "clip_norm", "at least 0"),
    ],
)
def test_a_path_that_cannot_be(path: dict[str, Any], field: str, why: str) -> None:
    told = wrong({"paths": [{}, path]})
    assert list(told) == [f"paths.1.{field}"]
    assert why in told[f"paths.1.{field}"] and len(told[f"paths.1.{field}"]) < 200


@pytest.mark.parametrize(
    ("given", "field", "why"),
    [
        ([], "", "must be an object"),
        (None, "", "must be an object"),
        ({}, "paths", "list of 1 to 4, got None"),
        ({"paths": []}, "paths", "got 0 of them"),
        ({"paths": [{}] * 5}, "paths", "got 5 of them"),
        ({"paths": [1]}, "paths.0", "must be an object, got 1"),
        ({"paths": [{}], "surface": "moon"}, "surface", "must be one of bowl"),
        ({"paths": [{}], "steps": 2001}, "steps", "from 1 to 2,000, got 2001"),
        ({"paths": [{}], "steps": 1e300}, "steps", "from 1 to 2,000"),
        ({"paths": [{}], "seed": -1}, "seed", "from 0"),
        ({"paths": [{}], "spread": "x" * 500}, "spread", "must be a number"),
        ({"paths": [{}], "start": [1]}, "start", "two numbers"),
        ({"paths": [{}], "start": [1, float("nan")]}, "start.w1", "got nan"),
        ({"paths": [{}], "start": [1001, 0]}, "start.w0", "at most 1000"),
        ({"paths": [{}], "speed": 1}, "speed", "no setting 'speed'"),
    ],
)
def test_what_paths_share(given: Any, field: str, why: str) -> None:
    told = wrong(given)
    assert list(told) == [field]
    assert why in told[field] and len(told[field]) < 200


def test_all_that_is_wrong_is_told() -> None:
    told = wrong({"steps": 0, "paths": [{"rate": -1, "momentum": 2}, {"optimizer": "no"}]})
    assert set(told) == {"steps", "paths.0.rate", "paths.0.momentum", "paths.1.optimizer"}


def test_names_of_settings_do_not_collide() -> None:
    """A path has those of its optimizer, of its schedule and of all paths in one object."""
    own = {field.name for field in PATH}
    for optimizer in OPTIMIZERS.values():
        names = {field.name for field in optimizer.fields}
        assert not names & own
        for schedule in SCHEDULES.values():
            assert not {field.name for field in schedule.fields} & (own | names)
