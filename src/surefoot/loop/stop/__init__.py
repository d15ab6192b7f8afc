"""Conditions that end a training run, inside an epoch too; combined with `|` (either) and `&` (both)."""

from surefoot.loop.stop.condition import Condition, Seen
from surefoot.loop.stop.divergence import diverged
from surefoot.loop.stop.improvement import patience
from surefoot.loop.stop.limit import above, after, below, nonfinite
from surefoot.loop.stop.trend import plateau

__all__ = ["Condition", "Seen", "above", "after", "below", "diverged", "nonfinite", "patience", "plateau"]
