"""What the curves of an imported run tell the rules that need nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.facts import EndFacts, ValidationFacts
from surefoot.facts.validation import is_validation_loss
from surefoot.runlog.exchange.source import Point

PROBES = ("validation", "loss")  # what these records stand for
_TRAINING = ("loss", "train_loss", "train/loss", "training_loss", "train/loss_epoch", "train_loss_epoch", "loss/train")


class Curves:
    """Keeps training and validation losses while a run is copied."""

    def __init__(self) -> None:
        self._training: dict[str, dict[int, float]] = {}
        self._validation: dict[str, dict[int, float]] = {}
        self._last = 0

    def add(self, point: Point) -> None:
        self._last = max(self._last, point.step)
        if point.name.lower() in _TRAINING:
            self._training.setdefault(point.name.lower(), {})[point.step] = point.value
        elif is_validation_loss(point.name):
            self._validation.setdefault(point.name, {})[point.step] = point.value

    def records(self) -> Iterator[ValidationFacts | EndFacts]:
        """As a run that was watched would have them, if it has logged its losses."""
        known = next((self._training[name] for name in _TRAINING if name in self._training), {})
        steps = sorted(known)
        found: list[tuple[int, ValidationFacts]] = []
        for series, (name, losses) in enumerate(sorted(self._validation.items()), 1):
            before = 0
            for phase, step in enumerate(sorted(losses), 1):
                upto = before
                while upto < len(steps) and steps[upto] <= step:
                    upto += 1
                since = [known[one] for one in steps[before:upto]]
                trained = sum(since) / len(since) if since else None
                before = upto
                facts = ValidationFacts(0, step, series, losses[step], phase, name=name, train_loss=trained)
                found.append((step, facts))
        yield from (facts for _, facts in sorted(found, key=lambda pair: pair[0]))
        if found:
            yield EndFacts(at=0, num_steps=self._last)
