"""Settings from outside: all that is wrong is told at once, each by its field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from surefoot.lab.descent import catalogue
from surefoot.lab.descent.field import Field, shown
from surefoot.lab.descent.surface import SURFACES, Surface


class SettingsError(ValueError):
    """`fields` has a sentence for each that can't be used: {"paths.0.rate": "…"}."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__(" ".join(fields.values()))
        self.fields = dict(fields)


@dataclass(frozen=True, slots=True)
class Settings:
    """Of one path. `options` are those of its optimizer, `shape` those of its schedule."""

    surface: Surface
    start: tuple[float, float]
    steps: int
    seed: int
    spread: float
    optimizer: str
    rate: float
    options: Mapping[str, Any]
    schedule: str
    shape: Mapping[str, Any]
    noise: str
    batch_size: int
    forget_zero: bool
    accumulate: int
    divide: bool
    clip_norm: float


def read_settings(given: Any) -> list[Settings]:
    """`{"surface": …, "start": [w0, w1], "steps": …, "paths": [{"optimizer": …}, …]}`, with defaults filled in."""
    if not isinstance(given, dict):
        raise SettingsError({"": f"settings must be an object, got {shown(given)}."})
    wrong: dict[str, str] = {}
    shared = _read(catalogue.SHARED, given, wrong, also=("start", "spread", "paths"))
    surface = SURFACES[shared["surface"]]
    spread = _one(catalogue.SPREAD, given, "spread", surface.spread, wrong)
    start = _start(given.get("start", list(surface.start)), wrong)
    paths = [
        _path(path, shared["steps"], f"paths.{number}", wrong)
        for number, path in enumerate(_paths(given.get("paths"), wrong))
    ]
    if wrong:
        raise SettingsError(wrong)
    common = {"surface": surface, "start": start, "steps": shared["steps"], "seed": shared["seed"], "spread": spread}
    return [Settings(**common, **path) for path in paths]


def _paths(given: Any, wrong: dict[str, str]) -> list[Any]:
    if isinstance(given, list) and 1 <= len(given) <= catalogue.MOST_PATHS:
        return given
    num = f"{len(given)} of them" if isinstance(given, list) else shown(given)
    wrong["paths"] = f"paths must be a list of 1 to {catalogue.MOST_PATHS}, got {num}."
    return []


def _path(given: Any, steps: int, at: str, wrong: dict[str, str]) -> dict[str, Any]:
    if not isinstance(given, dict):
        wrong[at] = f"a path must be an object, got {shown(given)}."
        return {}
    named = {name: given.get(name) for name in ("optimizer", "schedule")}
    optimizer = _kind(catalogue.OPTIMIZERS, named["optimizer"], "SGD")
    schedule = _kind(catalogue.SCHEDULES, named["schedule"], "constant")
    own = {field.name for field in (*optimizer.fields, *schedule.fields)}
    found = _read(catalogue.PATH, given, wrong, f"{at}.", also=own)
    found["options"] = _read(optimizer.fields, given, wrong, f"{at}.", also=given)
    found["shape"] = _read(schedule.fields, given, wrong, f"{at}.", also=given)
    for name, why in _contradictions(found, steps):
        wrong.setdefault(f"{at}.{name}", why)
    return found


def _kind(kinds: Mapping[str, catalogue.Kind], name: Any, default: str) -> catalogue.Kind:
    """Of a name that is not known the default: that it is wrong is told elsewhere."""
    return kinds[name] if isinstance(name, str) and name in kinds else kinds[default]


def _contradictions(path: Mapping[str, Any], steps: int) -> Iterable[tuple[str, str]]:
    options, shape = path["options"], path["shape"]
    if options.get("nesterov") and (options["momentum"] == 0 or options["dampening"] != 0):
        yield "nesterov", "Nesterov needs a momentum above 0 and no dampening."
    if path["schedule"] == "warmup_cosine" and shape["warmup"] >= steps:
        yield "warmup", f"Warm-up updates must be fewer than the {steps} updates, got {shape['warmup']}."
    if shape.get("cycle_momentum") and path["optimizer"] not in catalogue.CYCLES_MOMENTUM:
        yield "cycle_momentum", f"{path['optimizer']} has no momentum that could be cycled."
    if path["schedule"] == "one_cycle" and steps * shape["pct_start"] <= 1:
        yield (
            "pct_start",
            "One cycle needs more than one update in which the rate rises: more updates or a larger share.",
        )


def _read(
    fields: Iterable[Field], given: Mapping[str, Any], wrong: dict[str, str], at: str = "", also: Iterable[str] = ()
) -> dict[str, Any]:
    """The value of each field; those that `given` has beside them and `also` are not known."""
    fields = list(fields)
    known = {field.name for field in fields}.union(also)
    for name in given:
        if name not in known:
            wrong[f"{at}{name[:40]}"] = f"there is no setting {shown(name)} here."
    return {field.name: _one(field, given, f"{at}{field.name}", field.default, wrong) for field in fields}


def _one(field: Field, given: Mapping[str, Any], at: str, default: Any, wrong: dict[str, str]) -> Any:
    if field.name not in given:
        return default
    try:
        return field.read(given[field.name])
    except ValueError as error:
        wrong[at] = str(error)
        return default


def _start(given: Any, wrong: dict[str, str]) -> tuple[float, float]:
    if not isinstance(given, list) or len(given) != 2:
        wrong["start"] = f"start must be two numbers, got {shown(given)}."
        return (0.0, 0.0)
    pair = zip(catalogue.START, given, strict=True)
    read = [_one(field, {field.name: value}, f"start.{field.name}", 0.0, wrong) for field, value in pair]
    return (read[0], read[1])
