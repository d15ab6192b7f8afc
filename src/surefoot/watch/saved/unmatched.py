"""What `load_state_dict(strict=False)` left over."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from torch import Tensor
from torch.nn import Module

from surefoot.facts import Site, UnmatchedFacts
from surefoot.watch.inventory.module import named_parameters


def compare(
    module: Module, given: Mapping[str, Any], answer: Any, site: Site | None, is_unseen: bool
) -> UnmatchedFacts:
    missing, unexpected = list(answer.missing_keys), list(answer.unexpected_keys)
    own: dict[str, Any] = {**dict(named_parameters(module)), **dict(module.named_buffers())}
    wanted = Counter(_shape(own.get(key)) for key in missing)
    offered = Counter(_shape(given.get(key)) for key in unexpected)
    fitting = sum(num for shape, num in (wanted & offered).items() if shape)
    return UnmatchedFacts(
        type(module).__name__, site, len(given) - len(unexpected) + len(missing), len(given), len(missing),
        len(unexpected), fitting, is_unseen,
        (missing[0], unexpected[0]) if missing and unexpected else (),
    )  # fmt: skip


def _shape(value: Any) -> tuple[int, ...]:
    """Empty for numbers, which fit anywhere, and for what is no tensor."""
    return tuple(value.shape) if isinstance(value, Tensor) else ()
