"""What a comparison has shown, and what it has not."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from surefoot.facts.json_text import json_text
from surefoot.lab.ablate.plan import Budget, Outcome, Settings, shown

MOST_COMPARED = 50  # runs that the dashboard lays over each other


@dataclass(frozen=True)
class Row:
    """One combination of settings, over its seeds."""

    settings: Settings
    losses: dict[int, float]  # by seed
    num_failed: int

    @property
    def median(self) -> float:
        return median(self.losses.values()) if self.losses else math.inf

    @property
    def low(self) -> float:
        return min(self.losses.values(), default=math.inf)

    @property
    def high(self) -> float:
        return max(self.losses.values(), default=math.inf)

    @property
    def name(self) -> str:
        return ", ".join(f"{name}={shown(value)}" for name, value in self.settings.items())


@dataclass(frozen=True)
class Ablation:
    """`rows` have the lowest median first; `outcomes` are the single trials. `print` shows the table."""

    rows: tuple[Row, ...]
    outcomes: tuple[Outcome, ...]
    budget: Budget
    num_seeds: int

    @classmethod
    def of(cls, outcomes: Sequence[Outcome], budget: Budget) -> Ablation:
        groups: dict[str, list[Outcome]] = {}
        for outcome in sorted(outcomes, key=lambda one: one.plan.number):
            groups.setdefault(repr(outcome.plan.settings), []).append(outcome)
        rows = [
            Row(
                group[0].plan.settings,
                {one.plan.seed: one.loss for one in group if _is_fine(one) and one.loss is not None},
                sum(not _is_fine(one) for one in group),
            )
            for group in groups.values()
        ]
        rows.sort(key=lambda row: (row.num_failed > 0 and not row.losses, row.median))
        return cls(tuple(rows), tuple(outcomes), budget, len({outcome.plan.seed for outcome in outcomes}))

    @property
    def best(self) -> Row | None:
        """The lowest median of those that never failed; whether it tells anything is said by `verdict`."""
        return next((row for row in self.rows if row.losses and not row.num_failed), None)

    def is_within_spread(self, row: Row) -> bool:
        """Whether its seeds reach into those of the best."""
        return self.best is not None and row.low <= self.best.high

    def against_best(self, row: Row) -> str:
        best = self.best
        if row is best:
            return "lowest"
        if row.num_failed:
            return f"{row.num_failed} of {self.num_seeds} failed"
        if best is None or self.num_seeds < 2:
            return ""
        if self.is_within_spread(row):
            return "within the spread"
        return f"higher in all {self.num_seeds} seeds"

    @property
    def verdict(self) -> str:
        best = self.best
        if best is None:
            return "Every setting failed in some trial: " + (self.failures[0] if self.failures else "")
        if self.num_seeds < 2:
            return f"{best.name} is lowest, with one seed: that tells nothing about chance. seeds=3 would."
        near = [row for row in self.rows if row is not best and not row.num_failed and self.is_within_spread(row)]
        if near:
            others = f"{len(near)} other{'s are' if len(near) > 1 else ' is'}"
            return (
                f"{best.name} has the lowest median, but {others} within the spread of the seeds: "
                "these trials can't separate them."
            )
        if len(self.rows) == 1:
            return f"{best.name}: nothing to compare it with."
        return f"{best.name} is lower than all others, whatever the seeds ({self.num_seeds}), after {self.budget}."

    @property
    def failures(self) -> list[str]:
        return [f"{one.plan}: {one.error or 'the loss is not finite'}" for one in self.outcomes if not _is_fine(one)]

    @property
    def compare_command(self) -> str:
        """Shows a run of each setting side by side, of the seed in the middle, the best first; "" without a log."""
        runs = [run for row in self.rows if (run := self._run_of(row)) is not None][:MOST_COMPARED]
        if len(runs) < 2:
            return ""
        folder = runs[0].parent
        here = Path.cwd()
        where = folder.relative_to(here) if folder.is_relative_to(here) else folder
        return shlex.join(["surefoot", "dash", str(where), "--compare", *(run.name for run in runs)])

    def _run_of(self, row: Row) -> Path | None:
        own = [one for one in self.outcomes if one.run is not None and one.plan.settings == row.settings]
        own.sort(key=lambda one: (one.loss is None, one.loss or 0.0))
        return Path(str(own[(len(own) - 1) // 2].run)) if own else None

    @property
    def same_data(self) -> bool:
        """Whether all trials with one seed were given the same batches, as far as these were marked."""
        by_seed: dict[int, list[tuple[int, ...]]] = {}
        for one in self.outcomes:
            if one.marks:
                by_seed.setdefault(one.plan.seed, []).append(one.marks)
        return all(_agree(marks) for marks in by_seed.values())

    def table(self) -> str:
        names = list(dict.fromkeys(name for row in self.rows for name in row.settings))
        lines = [[*names, "median", "lowest", "highest", "against the lowest"]]
        lines += [
            [*(shown(row.settings.get(n, "")) for n in names), *map(_number, (row.median, row.low, row.high)),
             self.against_best(row)] for row in self.rows
        ]  # fmt: skip
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        return "\n".join("  ".join(t.ljust(w) for t, w in zip(line, widths, strict=True)).rstrip() for line in lines)

    def json(self) -> str:
        message = {
            "budget": str(self.budget), "verdict": self.verdict, "same_data": self.same_data,
            "rows": [
                {"settings": {n: shown(v) for n, v in row.settings.items()}, "losses": row.losses,
                 "failed": row.num_failed} for row in self.rows
            ],
            "runs": [one.run for one in self.outcomes],
        }  # fmt: skip
        return json_text(message) + "\n"

    def __str__(self) -> str:
        held_out = any(one.is_held_out for one in self.outcomes)
        what = "held-out loss" if held_out else "mean training loss of the last tenth of the updates"
        lines = [f"{what} after {self.budget}, over {self.num_seeds} seeds", self.table(), self.verdict]
        if not self.same_data:
            lines.append("The trials of one seed were not given the same batches: settings change the data, too.")
        num_found = sum(one.num_findings > 0 for one in self.outcomes)
        if num_found:
            lines.append(f"The sanitizer has found something in {num_found} runs: see `surefoot show RUN`.")
        lines += [f"failed: {failure}" for failure in self.failures[:3]]
        if self.compare_command:
            lines.append(f"Side by side: {self.compare_command}")
        return "\n".join(lines)


def _is_fine(outcome: Outcome) -> bool:
    return outcome.error is None and outcome.loss is not None and math.isfinite(outcome.loss)


def _agree(marks: list[tuple[int, ...]]) -> bool:
    length = min(map(len, marks))
    return len({one[:length] for one in marks}) == 1


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "-"
