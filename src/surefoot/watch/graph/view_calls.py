"""Listens for the line that calls a view of certain shapes, for a step or two."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from surefoot.facts import Site
from surefoot.watch.graph.moved import Moved

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tap import Function

VIEWS = (
    (Tensor, "view"), (Tensor, "reshape"), (Tensor, "view_as"), (Tensor, "reshape_as"), (Tensor, "flatten"),
    (Tensor, "unflatten"), (torch, "reshape"), (torch, "flatten"), (torch, "unflatten"),
)  # fmt: skip


class ViewCalls:
    def __init__(self, recorder: Recorder, probe: str, wanted: Iterable[Moved]) -> None:
        self._recorder = recorder
        self._probe = probe
        self.wanted = {(moved.before, moved.after) for moved in wanted}
        self.sites: dict[tuple[tuple[int, ...], tuple[int, ...]], Site] = {}
        self._put_back = [recorder.tap.replace_for_a_while(owner, name, self._make) for owner, name in VIEWS]

    def _make(self, original: Function) -> Function:
        run, note, probe = self._recorder.tap.run, self._note, self._probe

        def view(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            run(probe, note, args, result)
            return result

        return view

    def _note(self, args: tuple[Any, ...], result: Any) -> None:
        if not args or not isinstance(args[0], Tensor) or not isinstance(result, Tensor) or not result.requires_grad:
            return
        shapes = (tuple(args[0].shape), tuple(result.shape))
        if shapes in self.wanted and shapes not in self.sites:
            site = self._recorder.sites.here(2)
            if site is not None:
                self.sites[shapes] = site

    @property
    def has_all(self) -> bool:
        return len(self.sites) == len(self.wanted)

    def leave(self) -> None:
        for put_back in self._put_back:
            put_back()
        self._put_back = []
