"""Exceptions on one rank, which the other ranks have to know of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop

P = ParamSpec("P")
R = TypeVar("R")


def told_to_ranks(function: Callable[Concatenate[Loop, P], R]) -> Callable[Concatenate[Loop, P], R]:
    """For what ranks do together: one that fails in it tells the others, which wait for it."""

    @wraps(function)
    def run(loop: Loop, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            loop._ranks.together(f"{function.__name__}()")
            return function(loop, *args, **kwargs)
        except Exception as error:
            loop._ranks.fails(error)
            raise

    return run


def each_told_to_ranks(
    function: Callable[Concatenate[Loop, P], Iterator[Any]],
) -> Callable[Concatenate[Loop, P], Iterator[Any]]:
    """The same for a generator."""

    @wraps(function)
    def run(loop: Loop, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[Any]:
        try:
            yield from function(loop, *args, **kwargs)
        except Exception as error:
            loop._ranks.fails(error)
            raise

    return run
