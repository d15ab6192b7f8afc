"""What became of one buggy program."""

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

from surefoot.fix.fixer import Fixer
from surefoot.fix.project import Project
from surefoot.fix.trial import Trials
from surefoot.fix.trial_server import TrialServer
from surefoot.launch.program import Program
from surefoot.rules.catalogue import catalogue

SEEDS = (1, 2, 3, 4)  # added to the clean twin's own
CLOSE = 1e-3  # of the loss: the same training with sums in another order


@dataclass(frozen=True, slots=True)
class Pair:
    name: str
    rule: str
    bad: Path
    good: Path


@dataclass(frozen=True, slots=True)
class Outcome:
    name: str
    rule: str
    rules: tuple[str, ...]  # patched
    reasons: tuple[str, ...]  # of findings that were not
    loss_before: float | None
    loss_after: float | None
    loss_of_twin: float | None
    spread: tuple[float, float] | None  # of the clean twin over seeds, where the losses differ

    @property
    def is_mended(self) -> bool:
        """All findings above a note are gone."""
        return bool(self.rules) and not self.reasons

    @property
    def trains_like_twin(self) -> bool:
        if self.loss_after is None or self.loss_of_twin is None:
            return self.loss_after == self.loss_of_twin
        if math.isclose(self.loss_after, self.loss_of_twin, rel_tol=CLOSE):
            return True
        return self.spread is not None and self.spread[0] <= self.loss_after <= self.spread[1]


_server = TrialServer()


def start() -> None:
    """For each process of the benchmark."""
    global _server
    _server = TrialServer()


def try_pair(pair: Pair) -> Outcome:
    os.chdir(pair.bad.parent)
    program = Program(pair.bad.name)
    trials = Trials(program, list(catalogue()), _server)
    before = trials.run({})
    fixed = Fixer(trials, Project(program, trials.workspace.holds), lambda text: None).fix(before)
    twin = _final_loss(pair, 0)
    after = fixed.after.final_loss if fixed.patches else None
    spread = None
    if after is not None and twin is not None and not math.isclose(after, twin, rel_tol=CLOSE):
        losses = [loss for loss in (twin, *(_final_loss(pair, seed) for seed in SEEDS)) if loss is not None]
        spread = (min(losses), max(losses))
    return Outcome(
        pair.name,
        pair.rule,
        tuple(patch.finding.rule for patch in fixed.patches),
        tuple(f"{each.finding.rule}: {each.why}" for each in fixed.unpatched),
        before.final_loss,
        after,
        twin,
        spread,
    )


def _final_loss(pair: Pair, seed: int) -> float | None:
    text = pair.good.read_text()
    changed = re.sub(r"manual_seed\((\d+)\)", lambda match: f"manual_seed({int(match[1]) + seed})", text)
    trials = Trials(Program(pair.good.name), [], _server)
    return trials.run({pair.good.resolve(): changed}).final_loss
