"""See weights that were expanded against unreduced losses: (N) times (N, 1) weighs every loss by every sample."""

from __future__ import annotations

from torch import Tensor

from surefoot.watch.lossgraph.node import Node, children, name_of, saved, shape_of
from surefoot.watch.lossgraph.reading import product

NEAR = 8  # operations between the mean and the loss function

Shape = tuple[int, ...]


def crossed_weights(root: Node, node: Node) -> tuple[Shape, ...]:
    """Shapes of the losses, of their weights and of what both were expanded to; () if each has its own."""
    for _ in range(NEAR):
        below = [child for child in children(root) if child is not None] if root is not node else []
        if len(below) != 1:
            return ()
        if name_of(root) in ("Mul", "Div"):
            found = _crossed(root, below[0])
            if found:
                return found
        root = below[0]
    return ()


def _crossed(weighed: Node, loss: Node) -> tuple[Shape, ...]:
    weights = saved(weighed, "self") if children(weighed)[0] is None else saved(weighed, "other")
    losses, both = shape_of(loss), shape_of(weighed)
    if not isinstance(weights, Tensor) or not losses or both is None:
        return ()
    own = tuple(weights.shape)
    # As many weights as losses, each for one of them; a matrix of weights would be one for each pair.
    is_vector = max(own, default=0) == product(own) == max(losses) == product(losses) > 1
    return (losses, own, both) if is_vector and product(both) == product(own) ** 2 else ()
