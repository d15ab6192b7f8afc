"""Watch gradient clipping by torch's own functions. Hand-written clipping shows as an edit of the gradients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.compiler import is_dynamo_compiling
from torch.nn.utils import clip_grad

from surefoot.facts import ClipFacts, Site
from surefoot.watch.finite.probe import FiniteProbe
from surefoot.watch.half.scale import Scaler, Scales
from surefoot.watch.name import roots
from surefoot.watch.one_shot import is_used_up
from surefoot.watch.patch import Function
from surefoot.watch.probe import Probe
from surefoot.watch.provenance import UNTOUCHED, Ledger, Provenance

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

NO_LIMIT = 1e6  # and above: the call only measures
SMALLEST_LIMIT = 0.01  # nobody limits gradients to less; with an untouched scale of 65536 a limit of 1 is far below


@dataclass(slots=True)
class Clip:
    """One call while it runs, and until its fact is built."""

    site: Site | None
    kind: str
    max_norm: float
    num_params: int
    num_gradients: int
    num_live: int
    num_fresh: int
    optimizers: tuple[int, ...]
    provenances: tuple[Provenance, ...]
    scaler: Scaler | None
    used_up: bool
    akin: tuple[int, ...]
    inside_step: int | None
    ledgers: list[Ledger]
    norm: Any = None

    def key(self) -> tuple[Any, ...]:
        story = tuple((len(p.sources), len(p.fresh), bool(p.used_by), p.edited, p.by_hand) for p in self.provenances)
        return (
            "clip", self.site, self.kind, self.max_norm < NO_LIMIT, self.num_params, self.num_gradients, self.num_live,
            self.num_fresh, self.optimizers, story, None if self.scaler is None else self.scaler.id, self.used_up,
            self.akin, self.inside_step,
        )  # fmt: skip

    def fact(self, at: int) -> ClipFacts:
        self.norm = _value(self.norm)
        return ClipFacts(
            at=at,
            site=self.site,
            kind=self.kind,
            max_norm=self.max_norm,
            norm=self.norm,
            num_params=self.num_params,
            num_gradients=self.num_gradients,
            num_live=self.num_live,
            num_fresh=self.num_fresh,
            optimizers=self.optimizers,
            sources=tuple(sorted({source for p in self.provenances for source in p.sources})),
            used_by=tuple(sorted({index for p in self.provenances for index, _ in p.used_by})),
            scale=1.0 if self.scaler is None else self.scaler.scale,
            edited=any(p.edited or p.by_hand for p in self.provenances),
            used_up=self.used_up,
            akin=self.akin,
            inside_step=self.inside_step,
        )


class ClipProbe(Probe):
    name = "clip"

    def __init__(self, scales: Scales, finite: FiniteProbe) -> None:
        self._scales = scales
        self._finite = finite
        self._used_up = False  # the iterator given to the call that is running was exhausted before
        self._known_akin: dict[tuple[Site | None, int, int], tuple[int, ...]] = {}

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        # clip_grad_norm_ calls the last one by its name in the module, so that even a reference to it that was
        # imported before the watch began is seen.
        for owner in (clip_grad, torch.nn.utils):
            recorder.patches.wrap(owner, "clip_grad_norm_", self._make_outer)
            recorder.patches.wrap(owner, "clip_grad_value_", self._make_value)
        recorder.patches.wrap(clip_grad, "_clip_grads_with_norm_", self._make_norm)
        if hasattr(torch.nn.utils, "clip_grads_with_norm_"):
            recorder.patches.wrap(torch.nn.utils, "clip_grads_with_norm_", self._make_norm)

    # --- the wrappers

    def _make_outer(self, original: Function) -> Function:
        probe, sleep = self, self._recorder.sleep

        def clip_grad_norm_(parameters: Any, *args: Any, **kwargs: Any) -> Any:
            if sleep.nap is not None:
                return original(parameters, *args, **kwargs)
            probe._used_up = is_used_up(parameters)
            try:
                return original(parameters, *args, **kwargs)
            finally:
                probe._used_up = False

        return clip_grad_norm_

    def _make_norm(self, original: Function) -> Function:
        recorder, begins, ends = self._recorder, self._begins, self._ends
        sleep = recorder.sleep

        def clip_grads_with_norm_(parameters: Any, max_norm: Any, total_norm: Any, foreach: Any = None) -> Any:
            if is_dynamo_compiling():
                return original(parameters, max_norm, total_norm, foreach)
            nap = sleep.nap
            if nap is not None and nap.goes_on("clip", total_norm):
                return original(parameters, max_norm, total_norm, foreach)
            params = [parameters] if isinstance(parameters, Tensor) else list(parameters)
            begun = recorder.guarded("clip", begins, params, "norm", max_norm, total_norm)
            original(params, max_norm, total_norm, foreach)
            recorder.finish("clip", ends, begun)
            return None

        return clip_grads_with_norm_

    def _make_value(self, original: Function) -> Function:
        recorder, begins, ends = self._recorder, self._begins, self._ends
        probe = self

        def clip_grad_value_(parameters: Any, clip_value: Any, foreach: Any = None) -> Any:
            if is_dynamo_compiling():
                return original(parameters, clip_value, foreach)
            probe._used_up = is_used_up(parameters)
            params = [parameters] if isinstance(parameters, Tensor) else list(parameters)
            usable = all(isinstance(p, Tensor) for p in params)  # else torch will say what is wrong
            begun = recorder.guarded("clip", begins, params, "value", clip_value, None) if usable else None
            try:
                original(params, clip_value, foreach)
            finally:
                probe._used_up = False
            recorder.finish("clip", ends, begun)
            return None

        return clip_grad_value_

    # --- what happens

    def _begins(self, params: Sequence[Tensor], kind: str, limit: Any, norm: Any) -> Clip:
        recorder = self._recorder
        recorder.look()
        site = recorder.sites.here(4)
        ids = frozenset(id(p) for p in params)
        optimizers: list[int] = []
        ledgers: list[Ledger] = []
        provenances: dict[Provenance, int] = {}  # of gradients that are there, and how many have it
        scaler = None
        for account in recorder.accounts.values():
            if ids.isdisjoint(account.ids):
                continue
            mine: dict[Provenance, int] = {}
            _count(account.ledger, None if ids >= account.ids else ids, mine)
            scaler = scaler or self._scales.of(account.id, mine)
            optimizers.append(account.id)
            ledgers.append(account.ledger)
            for p, number in mine.items():
                provenances[p] = provenances.get(p, 0) + number
        if recorder.unowned.params:
            _count(recorder.unowned, ids, provenances)
            ledgers.append(recorder.unowned)
        if scaler is not None and self._is_scaled_limit(float(limit), scaler, site):
            scaler = None
        num_gradients = sum(p.grad is not None for p in params)
        num_untold = max(0, num_gradients - sum(provenances.values()))  # nobody knows where these come from
        num_untold += provenances.get(UNTOUCHED, 0)
        num_live = num_untold + sum(n for p, n in provenances.items() if p.sources or p.by_hand)
        num_fresh = num_untold + sum(n for p, n in provenances.items() if p.fresh or p.by_hand)
        clip = Clip(
            site, kind, float(limit), len(params), num_gradients, num_live, num_fresh, tuple(optimizers),
            tuple(provenances), scaler, self._used_up and not params,
            () if num_fresh else self._akin(site, params, ids), recorder.inside_step, ledgers, norm,
        )  # fmt: skip
        self._warn_if_bad(norm, ids)
        return clip

    def _ends(self, clip: Clip) -> None:
        for ledger in clip.ledgers:
            ledger.settle()
        clip.ledgers = []
        self._recorder.journal.note(clip.key(), clip.fact)

    def _is_scaled_limit(self, limit: float, scaler: Scaler, site: Site | None) -> bool:
        """`clip_grad_norm_(params, max_norm * scaler.get_scale())` is right without `unscale_`.

        Programs also ask for the scale to log it: it must have been asked for in this very line, or the limit must be
        the scale times a number that somebody would write.
        """
        if self._scales.asked_at < self._recorder.num_backwards - 1:
            return False
        plain = limit / scaler.scale
        here = site is not None and site.place == self._scales.asked_by
        return plain >= SMALLEST_LIMIT and (here or math.isclose(plain, float(f"{plain:.2g}"), rel_tol=1e-6))

    def _warn_if_bad(self, norm: Any, ids: frozenset[int]) -> None:
        # On a GPU reading it would stall every step; there the sampled check of the gradients must do.
        cheap = type(norm) is Tensor and norm.device.type == "cpu"
        if cheap and not math.isfinite(float(norm)):
            self._finite.norm_is_bad(ids)

    def _akin(self, site: Site | None, params: Sequence[Tensor], ids: frozenset[int]) -> tuple[int, ...]:
        """The optimizers whose parameters some model holds together with these."""
        if not params:
            return ()
        accounts = self._recorder.accounts.values()
        key = (site, id(params[0]), len(accounts))
        if key not in self._known_akin:
            held = [{id(p) for p in model.parameters()} for model in roots()]
            family = ids.union(*(h for h in held if not ids.isdisjoint(h)))
            self._known_akin[key] = tuple(a.id for a in accounts if not family.isdisjoint(a.ids))
        return self._known_akin[key]


def _count(ledger: Ledger, ids: frozenset[int] | None, into: dict[Provenance, int]) -> None:
    """Gradients by provenance; of all parameters when `ids` is None."""
    told = zip(ledger.params, ledger.states, ledger.provenances, strict=True)
    for param, state, provenance in told:
        if state is not None and (ids is None or id(param) in ids):
            into[provenance] = into.get(provenance, 0) + 1


def _value(norm: Any) -> float | None:
    """A norm that is spread over ranks can't be read by one of them alone."""
    if norm is None or isinstance(norm, float):
        return norm
    return float(norm) if type(norm) is Tensor or isinstance(norm, int) else None
