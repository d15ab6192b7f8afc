"""Settings of runs against a metric: each run with its values, groups of runs that are set alike, and their ranks."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from surefoot.dashboard.data.encode import Verbatim
from surefoot.dashboard.data.metrics import exactly
from surefoot.dashboard.data.rank_interval import CONFIDENCE, MOST_GROUPS, rank_intervals
from surefoot.dashboard.data.run_cache import RunCache
from surefoot.runlog.setting import SEEN

GROUP = "run_group"
MOST_BY = 6  # settings that are shown unless others are asked for
MOST_DISTINCT = 0.8  # of the runs: a setting with more values is a name, such as a folder for results
SEED = re.compile(r"(^|[._/-])(seed|random_state)$|seed$", re.IGNORECASE)

Values = dict[str, Any]


def ranking(cache: RunCache, metric: str, by: Sequence[str], kept: Sequence[str], *, is_low_good: bool) -> Values:
    """`kept` are filters as in the list of runs, "name=value". Runs that go on are left out: they are not done."""
    names = cache.columns([], [], with_metrics=True)
    last = f"last:{metric.partition(':')[2]}"  # tells whether a run has the series at all
    told = cache.columns(names["settings"], [metric, last], with_metrics=True)
    rows = [row for row in cache.rows() if not row["archived"] and row["status"] != "unreadable"]
    runs = {row["run"]: {**told["runs"].get(row["run"], {}), GROUP: row["run_group"]} for row in rows}
    fitting = [row for row in rows if _fits(row, runs[row["run"]], kept)]
    ended = [row["run"] for row in fitting if row["status"] != "running"]
    with_metric = [run for run in ended if last in runs[run]]
    settings = varying({run: runs[run] for run in with_metric})
    chosen = [name for name in by if name == GROUP or name in names["settings"]] or settings[:MOST_BY]
    values = {run: _number(runs[run].get(metric)) for run in with_metric}
    groups = _groups(values, {run: [runs[run].get(name) for name in chosen] for run in with_metric}, is_low_good)
    return {
        "metrics": names["metrics"], "settings": names["settings"], "varying": settings, "by": chosen,
        "is_whole": told["is_whole"], "confidence": CONFIDENCE, "most_groups": MOST_GROUPS,
        "num_running": len(fitting) - len(ended), "num_without": len(ended) - len(with_metric), "groups": groups,
        "points": [
            {"run": run, "value": exactly(values[run]), "at": [runs[run].get(name) for name in chosen]}
            for run in with_metric
        ],
    }  # fmt: skip


def varying(runs: dict[str, Values]) -> list[str]:
    """Settings that tell runs apart, those of the program first; not seeds, names, and what says the same again."""
    found: dict[tuple[int, ...], str] = {}
    names = sorted({name for values in runs.values() for name in values if ":" not in name and name != GROUP})
    for name in sorted(names, key=lambda one: (one.startswith(SEEN), one)):
        texts = [_text(values.get(name)) for values in runs.values()]
        codes = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        is_name = len(codes) > max(2, MOST_DISTINCT * len(runs)) and not _are_numbers(runs, name)
        if len(codes) > 1 and not is_name and not SEED.search(name):
            found.setdefault(tuple(codes[text] for text in texts), name)
    return list(found.values())


def _groups(values: dict[str, float], keys: dict[str, list[Any]], is_low_good: bool) -> list[Values]:
    """The best mean first. One with a value that is not finite has no mean, and may have any rank."""
    homes: dict[str, list[str]] = {}
    for run, key in keys.items():
        homes.setdefault(json.dumps(key, default=str), []).append(run)
    sign = 1.0 if is_low_good else -1.0
    finite = {home: [values[run] for run in some if math.isfinite(values[run])] for home, some in homes.items()}
    whole = [finite[home] if len(finite[home]) == len(some) else None for home, some in homes.items()]
    ranks = rank_intervals([None if some is None else [sign * value for value in some] for some in whole])
    found = []
    for (home, some), (low, high) in zip(homes.items(), ranks, strict=True):
        known = finite[home]
        mean = float(np.mean(known)) if known else None
        found.append({
            "key": json.loads(home), "runs": some, "num": len(some), "num_odd": len(some) - len(known),
            "num_distinct": len(set(known)), "mean": mean,
            "deviation": float(np.std(known, ddof=1)) if len(known) > 1 else None, "low_rank": low, "high_rank": high,
        })  # fmt: skip
    return sorted(found, key=lambda one: (bool(one["num_odd"]), _order(one["mean"], sign)))


def _order(mean: float | None, sign: float) -> float:
    return math.inf if mean is None else sign * mean


def _fits(row: Values, values: Values, kept: Sequence[str]) -> bool:
    for one in kept:
        name, _, wanted = one.partition("=")
        if name == "tag":
            if wanted not in (row["tags"] or "").split(","):
                return False
        elif name == GROUP:
            if (row[GROUP] or "no group") != wanted:
                return False
        elif _text(values.get(name)) != wanted:
            return False
    return True


def _text(value: Any) -> str:
    """As the page writes it."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _number(value: Verbatim | None) -> float:
    """NaN if no value of the run is finite."""
    return math.nan if value is None else float(json.loads(value.text))


def _are_numbers(runs: dict[str, Values], name: str) -> bool:
    known = [values[name] for values in runs.values() if name in values]
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)
