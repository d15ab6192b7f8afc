"""Copies of gradients, to tell what each stage did to them."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch import Tensor

from surefoot.lab.trace.stage import Change
from surefoot.lab.trace.tensor import change, copy, is_same, norm
from surefoot.watch.provenance import UNTOUCHED, Ledger, Provenance

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder


@dataclass(frozen=True, slots=True)
class Held:
    """A parameter and where its gradient comes from."""

    param: Tensor
    provenance: Provenance
    is_owned: bool  # by an optimizer


class Gradients:
    """What lay in `.grad` of all known parameters when it was last looked at."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._copies: dict[int, tuple[weakref.ref[Tensor], Tensor | None]] = {}

    def held(self) -> Iterator[Held]:
        recorder = self._recorder
        seen: set[int] = set()
        for tracked in recorder.optimizers.within_reach(recorder.thread_states):
            ledger = tracked.ledger
            for param, provenance in zip(ledger.params, ledger.provenances, strict=True):
                if id(param) not in seen:
                    seen.add(id(param))
                    yield Held(param, provenance, True)
        if len(recorder.thread_states) == 1:
            params = recorder.unowned.alive()
            for param, provenance in zip(params, recorder.unowned.provenances, strict=True):
                if id(param) not in seen:
                    yield Held(param, provenance, False)

    def changes(self) -> list[Change]:
        """What is not as it was at the last look, or was never looked at and is there. Looks again."""
        found = []
        for held in list(self.held()):
            param = held.param
            before, after = self._before(param), param.grad
            if is_same(before, after):
                continue
            name = self._recorder.names.of(param)
            found.append(change(name, before, after, sources=held.provenance.sources, used_by=_steps(held.provenance)))
            self._copies[id(param)] = (weakref.ref(param), copy(after))
        return found

    def unused(self) -> set[str]:
        """Names of parameters with gradients that no step has used."""
        names = self._recorder.names
        return {names.of(h.param) for h in self.held() if h.provenance.fresh and h.param.grad is not None}

    def forget(self) -> None:
        self._copies.clear()

    def _before(self, param: Tensor) -> Tensor | None:
        known = self._copies.get(id(param))
        return known[1] if known is not None and known[0]() is param else None


class Weights:
    """Values of an optimizer's parameters just before its step, and the gradients that it uses."""

    def __init__(self, params: Sequence[Tensor]) -> None:
        self._before = [(param, copy(param)) for param in params]
        self._gradients: dict[int, float | None] = {}
        self._provenances: dict[int, Provenance] = {}

    def keep(self, ledger: Ledger) -> None:
        """Look at the gradients. Those of a closure come while the step runs, so that this may be at its end."""
        self._gradients = {id(param): norm(param.grad) for param, _ in self._before}
        self._provenances = {id(p): known for p, known in zip(ledger.params, ledger.provenances, strict=True)}

    def changes(self, recorder: Recorder) -> tuple[Change, ...]:
        """Of all of them, also of those that did not move."""
        return tuple(self._change(recorder, param, before) for param, before in self._before)

    def _change(self, recorder: Recorder, param: Tensor, before: Tensor | None) -> Change:
        provenance = self._provenances.get(id(param), UNTOUCHED)
        return change(
            recorder.names.of(param), before, param, gradient=self._gradients.get(id(param)),
            sources=provenance.sources, used_by=_steps(provenance),
        )  # fmt: skip

    @property
    def num_without_gradient(self) -> int:
        return sum(self._gradients.get(id(param)) is None for param, _ in self._before)


def _steps(provenance: Provenance) -> tuple[int, ...]:
    return tuple(index for index, _ in provenance.used_by)
