"""Read off the graph which positions of the ids a prediction depends on."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from surefoot.facts import ReadFacts
from surefoot.watch.lossgraph.node import VIEWS, Node, name_of
from surefoot.watch.seq.align import Layout
from surefoot.watch.seq.backprop import gradients_at, one_back
from surefoot.watch.seq.bottleneck import keeps_positions

MIXERS = ("BatchNorm", "GroupNorm")  # their statistics are of many positions, which is not how a model looks ahead
_PER_ROW = VIEWS | {"LogSoftmax", "Softmax", "Mul", "Div"}
MAX_DEPTH = 12


@dataclass(slots=True)
class Match:
    """Targets that are tokens of a lookup's ids, moved by `shift`."""

    lookup: int
    node: Node
    layout: Layout
    shift: int


def read(
    prediction: Tensor, matches: list[Match], nodes: list[Node], targets: Tensor, turn: int
) -> list[tuple[Match, ReadFacts]]:
    """What one prediction depends on; `turn` chooses another one for each batch."""
    root = prediction.grad_fn
    if any(mixer in node.name() for node in nodes for mixer in MIXERS):
        return []
    found = []
    for match in matches:
        sequence, place = _chosen(match, turn)
        if place is None:
            continue
        seed = _seed(prediction, targets, int(match.layout.index[sequence, place]))
        arrived = gradients_at(root, prediction.output_nr, seed, [match.node])
        if not arrived or match.node not in arrived:
            continue
        row = _row(root, seed, match, sequence, place)
        seen = _positions(arrived[match.node], match, sequence)
        if row is None or seen is None:
            continue
        is_per_position = keeps_positions(root, match.node, match.layout)
        length = match.layout.ids.shape[1]
        found.append((match, ReadFacts(match.lookup, row, place + match.shift, *seen, length, is_per_position)))
    return found


def _chosen(match: Match, turn: int) -> tuple[int, int | None]:
    """A target somewhere in the middle, that counts and is what the shift says."""
    layout, shift = match.layout, match.shift
    length = min(layout.targets.shape[1], layout.ids.shape[1] - shift - 1)  # something must be left to look ahead at
    if length < 2:
        return 0, None
    same = layout.targets[:, :length] == layout.ids[:, shift : shift + length]
    sequence = turn % layout.ids.shape[0]
    middle = length // 2 - turn % 2
    return sequence, middle if bool(same[sequence, middle]) else None


def _seed(prediction: Tensor, targets: Tensor, index: int) -> Tensor:
    """One row of scores, with a factor for each class that no softmax takes away."""
    seed = torch.zeros_like(prediction, memory_format=torch.contiguous_format)
    classes = torch.arange(prediction.shape[1], device=seed.device, dtype=torch.float32)
    row = torch.cos(1.7 * classes).to(seed.dtype)
    if targets.dim() == 1:
        seed[index] = row
    else:
        seed[index // targets.shape[1], :, index % targets.shape[1]] = row
    return seed


def _positions(gradient: Tensor, match: Match, sequence: int) -> tuple[int, int] | None:
    """The first and the last position that have an influence; None if other sequences have one, or nothing has."""
    influence = gradient.abs().amax(-1)
    if not bool(influence.isfinite().all()):
        return None
    influence = influence.reshape(1, -1) if influence.dim() == 1 else influence
    influence = influence.t() if match.layout.is_turned else influence
    own = influence[sequence] > 0
    others = (influence > 0).sum() - own.sum()
    if int(others) or not bool(own.any()):
        return None
    positions = own.nonzero()
    return int(positions.min()), int(positions.max())


def _row(root: Node, seed: Tensor, match: Match, sequence: int, place: int) -> int | None:
    """At which position the prediction was made: its rows may have been cut out of those of all positions."""
    layout = match.layout
    if layout.targets.shape == layout.ids.shape:
        return place
    node, gradient = root, seed
    for _ in range(MAX_DEPTH):
        below = one_back(node, gradient) if name_of(node) in _PER_ROW else None
        if below is None:
            break
        node, gradient = below
        found = _row_in(gradient, layout.ids.shape, sequence)
        if found is not None:
            return found
    return None


def _row_in(gradient: Tensor, shape: torch.Size, sequence: int) -> int | None:
    """The position of the only row that is not zero, if these are rows of all positions of all sequences."""
    num, length = shape
    rows = (gradient != 0).any(-1)
    candidates = []
    if tuple(rows.shape) in ((num, length), (num * length,)):
        candidates.append(rows.reshape(num, length))
    if tuple(rows.shape) in ((length, num), (num * length,)):
        candidates.append(rows.reshape(length, num).t())
    found = {int(one[sequence].nonzero()[0]) for one in candidates if int(one.sum()) == 1 and bool(one[sequence].any())}
    return found.pop() if len(found) == 1 else None
