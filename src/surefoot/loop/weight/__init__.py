"""How much a micro-batch counts: what its loss is a mean over, read off the loss's graph.

A loss that is linear in means can be put together from micro-batches: each counts by what its means divide by. Terms
that depend on no item, such as an L2 penalty, fit every weight. Everything else, such as the root of a mean, has no
such weight, and is refused.
"""

from surefoot.loop.weight.agreement import Agreement
from surefoot.loop.weight.error import UnknownWeightError
from surefoot.loop.weight.looks import Looks
from surefoot.loop.weight.read import read_terms, weight_of

__all__ = ["Agreement", "Looks", "UnknownWeightError", "read_terms", "weight_of"]
