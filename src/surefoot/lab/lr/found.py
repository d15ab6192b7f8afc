"""What a range test has found, told in words, as a curve and as data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.facts.json_text import json_text
from surefoot.lab.chart import Chart, Line, Mark, as_svg, as_text
from surefoot.lab.lr.curve import smooth


@dataclass(frozen=True)
class LrFound:
    """`suggestion` is a rate to begin with, None where the test does not tell one; `reasons` say why."""

    suggestion: float | None
    reasons: tuple[str, ...]
    steepest: float | None  # where the loss fell fastest
    bound: float | None  # the largest rate that was seen to lower the loss; a few percent more do not
    rates: tuple[float, ...]
    losses: tuple[float, ...]  # after an update at each of the rates
    has_diverged: bool  # and was ended for it
    num_updates: int  # that were tried, over all, and taken back
    conditions: str  # what it holds for

    def plot(self, *, width: int = 64, height: int = 12) -> str:
        return as_text(self._chart(), width=width, height=height) + str(self) + "\n"

    def svg(self) -> str:
        return as_svg(self._chart())

    def json(self) -> str:
        message = {
            "suggestion": self.suggestion, "reasons": self.reasons, "steepest": self.steepest, "bound": self.bound,
            "has_diverged": self.has_diverged, "num_updates": self.num_updates, "conditions": self.conditions,
            "rates": self.rates, "losses": self.losses,
        }  # fmt: skip
        return json_text(message) + "\n"

    def __str__(self) -> str:
        head = "no rate is suggested" if self.suggestion is None else f"suggested rate: {self.suggestion:.2g}"
        return "\n".join([head, *(f"- {reason}" for reason in self.reasons), self.conditions])

    def _chart(self) -> Chart:
        lines = [Line("loss", self._shown(self.losses), is_faint=True)]
        lines.append(Line("loss, smoothed", self._shown(smooth(self.losses))))
        fastest = None if self.steepest == self.suggestion else self.steepest
        places = ((self.suggestion, "suggested"), (fastest, "steepest fall"), (self.bound, "largest that holds"))
        marks = [Mark(rate, f"{what}, {rate:.2g}") for rate, what in places if rate is not None]
        return Chart("learning-rate range test", "rate", "loss", lines, marks, is_log_x=True)

    def _shown(self, losses: Sequence[float]) -> list[tuple[float, float]]:
        """Without what is far above the start: where it explodes, nothing else would be seen."""
        highest = max(losses[:1], default=0.0) + 0.5 * (max(losses[:1], default=0.0) - min(losses, default=0.0))
        return [(rate, loss if loss <= highest else math.nan) for rate, loss in zip(self.rates, losses, strict=True)]
