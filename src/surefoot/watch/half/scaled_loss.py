"""Which losses a GradScaler has scaled, found again at the root of a backward or below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from torch import Tensor

from surefoot.watch.half.scale import Scaler

KEPT = 64  # scaled losses remembered; each is backwarded soon
MAX_NODES = 2000  # looked at between a root and the scaled loss below it


class ScaledLosses:
    """Nodes are known by their sequence numbers, so that no graph is kept alive."""

    def __init__(self) -> None:
        self._scalers: dict[int, Scaler] = {}  # by the node that `scaler.scale` made
        self._made_at: dict[int, int] = {}  # likewise the number of steps before

    def add(self, node: int, scaler: Scaler, num_steps: int) -> int | None:
        """Remember a scaled loss; the one that is forgotten for it."""
        self._scalers[node], self._made_at[node] = scaler, num_steps
        if len(self._scalers) <= KEPT:
            return None
        oldest = next(iter(self._scalers))
        del self._scalers[oldest], self._made_at[oldest]
        return oldest

    def scaler_of(self, nodes: Sequence[Any], num_steps: int) -> Scaler | None:
        """The scaler of these roots, or of what they were made from: a scaled loss divided, or summed with others."""
        return self._at(nodes) or self._at(self._since_scaled(nodes, num_steps))

    def is_unsure(self, nodes: Sequence[Any], num_steps: int) -> bool:
        """Not seen to be scaled, but there was too much to look at."""
        return len(self._since_scaled(nodes, num_steps)) >= MAX_NODES

    def _at(self, nodes: Sequence[Any]) -> Scaler | None:
        for node in nodes:
            if (scaler := self._scalers.get(node._sequence_nr())) is not None:
                return scaler
        return None

    def _since_scaled(self, nodes: Sequence[Any], num_steps: int) -> list[Any]:
        """The nodes below these that are no older than the first loss scaled since the step before last."""
        recent = [number for number, made_at in self._made_at.items() if made_at >= num_steps - 1]
        if not recent:
            return []
        oldest = min(recent)  # whatever is made from a scaled loss has a higher number than it
        seen, found = set(nodes), list(nodes)
        for node in found:
            for below, _ in node.next_functions if len(found) < MAX_NODES else ():
                if below is not None and below not in seen and below._sequence_nr() >= oldest and below.next_functions:
                    seen.add(below)
                    found.append(below)
        return found


def tensors_in(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):  # other iterables are lazy: theirs to consume
        for item in value:
            yield from tensors_in(item)


def factors_of(nodes: Sequence[Any]) -> Iterator[float]:
    """The constants that these roots were multiplied by."""
    for node in nodes:
        if node.name() != "MulBackward0":
            continue
        for name in ("_saved_self", "_saved_other"):
            try:
                saved = getattr(node, name)
            except (AttributeError, RuntimeError):  # not saved, or freed by an earlier backward
                continue
            is_number = isinstance(saved, Tensor) and saved.numel() == 1 and not saved.requires_grad
            if is_number and saved.device.type == "cpu":
                yield float(saved)
