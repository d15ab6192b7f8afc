"""The rows: what a training loop must get right, the exact right answer, and how a measurement is held against it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

ROUNDING = 1e-6  # single precision of a mean over seven samples; a wrong weight is off by 0.06 or more


@dataclass(frozen=True, slots=True)
class Row:
    """`name` is also the name of the function in every module of `loops`."""

    name: str
    title: str
    right: str
    is_right: Callable[[Any], bool]
    show: Callable[[Any], str]


def _is_close(value: Any, right: Any) -> bool:
    if isinstance(right, Sequence):
        return len(value) == len(right) and all(_is_close(a, b) for a, b in zip(value, right, strict=True))
    return abs(value - right) <= ROUNDING


def _number(value: float) -> str:
    if value and abs(value) < 1e-3:
        return f"{value:.1e}"
    return f"{value + 0.0:.4f}".rstrip("0").rstrip(".").replace("0.", ".")


def _numbers(values: Sequence[float]) -> str:
    return " ".join(_number(value) for value in values)


# Weights of micro-batches ----------------------------------------------------------------------------------------

RAGGED = [[7 / 16, 5 / 16, 3 / 16, 1 / 16]]
RANKS = [[7 / 16, 5 / 16, 3 / 16, 1 / 16]]
_FULL = [[0.25] * 4 + [0.0] * 6, [0.0] * 4 + [0.25] * 4 + [0.0] * 2]
TAIL = [*_FULL, [0.0] * 8 + [0.5] * 2] * 2


def _show_updates(updates: list[list[float]]) -> str:
    return "; ".join(_numbers(update) for update in updates) or "no update"


def _show_tail(updates: list[list[float]]) -> str:
    """The first update that the last two micro-batches of the first epoch reached."""
    for update in updates:
        if update[8] or update[9]:
            return ", ".join(f"b{number + 1} {_number(w)}" for number, w in enumerate(update) if w)
    return "b9 and b10 reach no update"


# Resuming --------------------------------------------------------------------------------------------------------


def _is_resumed(num_left: int) -> Callable[[dict[str, Any]], bool]:
    """Equal, and not by starting from the beginning."""
    return lambda value: value["equal"] and value["num_run"] <= num_left


def _show_resumed(value: dict[str, Any]) -> str:
    if value["equal"]:
        return f"bitwise equal, {value['num_run']} run"
    return f"weights off by {value['gap']:.1e}; {value['repeated']} samples repeated, {value['never_seen']} never seen"


def _show_window(value: dict[str, Any]) -> str:
    if value["equal"]:
        return f"bitwise equal, {value['num_run']} run"
    first, second = ([abs(w) for w in half] for half in (value["weights"][:4], value["weights"][4:]))
    return f"windows {_numbers(first)} and {_numbers(second)}"


# What a loop says ------------------------------------------------------------------------------------------------

_NON_FINITE = re.compile(r"\bnan\b|\binf(inity)?\b|non-?finite|not finite", re.IGNORECASE)
_FORGOTTEN = re.compile(r"\bforgotten\b")


def _is_told(value: dict[str, Any], pattern: re.Pattern[str]) -> bool:
    return bool(pattern.search(value["raised"]) or pattern.search(value["said"]))


def _show_nan(value: dict[str, Any]) -> str:
    weights = "weights finite" if value["finite"] else "weights NaN"
    if value["raised"]:
        return f"{weights}, raises {value['raised'].split(':')[0]}"
    return weights + (", said" if _is_told(value, _NON_FINITE) else ", silent")


# Counting --------------------------------------------------------------------------------------------------------


def _is_schedule_right(value: dict[str, int]) -> bool:
    return value["advances"] == value["expected"]


def _show_schedule(value: dict[str, int]) -> str:
    return f"{value['advances']} for {value['expected']}"


def _has(right: Any) -> Callable[[Any], bool]:
    return lambda value: _is_close(value, right)


ROWS = (
    Row(
        "ragged", "micro-batches of 7, 5, 3, 1 samples, accumulate 4", ".4375 .3125 .1875 .0625",
        _has(RAGGED), _show_updates,
    ),
    Row(
        "tail", "10 equal micro-batches, accumulate 4, two epochs: the last window of an epoch has 2", "b9 .5, b10 .5",
        _has(TAIL), _show_tail,
    ),
    Row(
        "ranks", "two ranks with 7, 3 and 5, 1 samples, accumulate 2", ".4375 .3125 .1875 .0625",
        _has(RANKS), _show_updates,
    ),
    Row(
        "resume", "SIGKILL inside an epoch, resume from the checkpoint in its middle", "bitwise equal, 10 run",
        _is_resumed(10), _show_resumed,
    ),
    Row(
        "resume_in_window", "SIGKILL inside a window of 4, resume from a checkpoint in its middle",
        "bitwise equal, 6 run", _is_resumed(6), _show_window,
    ),
    Row(
        "nan", "a batch with NaN", "weights finite, and said",
        lambda value: value["finite"] and _is_told(value, _NON_FINITE), _show_nan,
    ),
    Row(
        "shared_scaler", "two optimizers, one fp16 scaler, one overflows: update of the other", "1",
        _has(1.0), _number,
    ),
    Row("clip_scaled", "clip to norm 1 under a scaler, true norm .5: applied", ".5", _has(0.5), _number),
    Row(
        "schedule_skipped", "schedule when the scaler skipped 3 of 5 updates: advances", "2",
        _is_schedule_right, _show_schedule,
    ),
    Row(
        "schedule_accumulated", "schedule with accumulate 4: advances for updates", "once for each",
        _is_schedule_right, _show_schedule,
    ),
    Row(
        "leak", "two optimizers, accumulate 2, G's loss runs through D: gradient that D gets", "1",
        _has(1.0), _number,
    ),
    Row(
        "stop", "stop at a loss below .49, reached in batch 27 of 3 epochs of 20: batches run", "27",
        _has(27), lambda value: str(value),
    ),
    Row(
        "missing_layer", "a layer missing from the optimizer", "said",
        lambda value: _is_told(value, _FORGOTTEN), lambda value: "said" if _is_told(value, _FORGOTTEN) else "silent",
    ),
)  # fmt: skip
