"""Hand-written clips for the rules of this family."""

from typing import Any

from surefoot.facts import ClipFacts
from tests.rules.grad.build import site

CLIP_LINE = 20


def clip(at: int, *sources: int, line: int = CLIP_LINE, **fields: Any) -> ClipFacts:
    """A clip of the two parameters of optimizer 1, whose gradients came from these backwards."""
    num = 2 if sources else 0
    given = {
        "max_norm": 1.0, "num_params": 2, "num_gradients": num, "num_live": num, "num_fresh": num, "optimizers": (1,),
        "norm": 3.0,
    }  # fmt: skip
    return ClipFacts(at, site(line), sources=sources, **(given | fields))
