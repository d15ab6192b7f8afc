"""Watch gradient clipping by torch's own functions. Hand-written clipping shows as an edit of the gradients."""

from __future__ import annotations

import math
from collections.abc import Hashable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.utils import clip_grad

from surefoot.facts import ClipFacts, Site
from surefoot.watch.exhausted_iterator import is_used_up
from surefoot.watch.finite.finite_probe import FiniteProbe
from surefoot.watch.half.scale import Scaler, Scales
from surefoot.watch.inventory.module import parameters_of
from surefoot.watch.probe import Probe
from surefoot.watch.provenance import UNTOUCHED, Ledger, Provenance

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

NO_LIMIT = 1e6  # and above: the call only measures
SMALLEST_LIMIT = 0.01  # nobody limits gradients to less; with an untouched scale of 65536 a limit of 1 is far below


class ClipCall(NamedTuple):
    """One call of a clipping function."""

    site: Site | None
    kind: str
    limit: float
    norm: Any
    covered: Covered


class Clip:
    """What a call found, until its fact is built."""

    __slots__ = ("akin", "call", "inside_step", "num_gradients", "present", "scaler", "used_up")

    def __init__(
        self, call: ClipCall, present: list[tuple[Provenance, int]], num_gradients: int, inside_step: int | None
    ) -> None:
        self.call, self.num_gradients, self.inside_step = call, num_gradients, inside_step
        self.present = present  # provenances of gradients that are there, and how many have each
        self.scaler: Scaler | None = None  # whose scale is in them
        self.used_up = False
        self.akin: tuple[int, ...] = ()

    def token(self) -> Hashable:
        story = [(len(p[0]), len(p[1]), len(p[2]) > 0, p[5], p[6], number) for p, number in self.present]
        site, kind, limit, _, covered = self.call
        return (
            "clip", id(site), kind, _size(limit), len(covered.order), self.num_gradients, covered.numbers, tuple(story),
            None if self.scaler is None else self.scaler.id, self.used_up, self.akin, self.inside_step,
        )  # fmt: skip

    def fact(self, at: int) -> ClipFacts:
        untold = self.num_gradients  # nobody knows where these come from
        for p, number in self.present:
            untold -= 0 if p == UNTOUCHED else number
        untold = max(0, untold)
        site, kind, limit, norm, covered = self.call
        return ClipFacts(
            at=at,
            site=site,
            kind=kind,
            max_norm=limit,
            norm=_value(norm),
            num_params=len(covered.order),
            num_gradients=self.num_gradients,
            num_live=untold + sum(number for p, number in self.present if p.sources or p.by_hand),
            num_fresh=untold + sum(number for p, number in self.present if p.fresh or p.by_hand),
            optimizers=covered.numbers,
            sources=tuple(sorted({source for p, _ in self.present for source in p.sources})),
            used_by=tuple(sorted({index for p, _ in self.present for index, _ in p.used_by})),
            scale=1.0 if self.scaler is None else self.scaler.scale,
            edited=any(p.edited or p.by_hand for p, _ in self.present),
            used_up=self.used_up,
            akin=self.akin,
            inside_step=self.inside_step,
        )


class Covered(NamedTuple):
    """What one line clips."""

    order: list[int]  # identities of the parameters
    version: int  # of the tracked optimizers then
    ids: frozenset[int]
    optimizers: list[TrackedOptimizer]
    are_whole: list[bool]  # by tracked optimizer, whether all that it holds is clipped
    is_all: bool  # and nothing else is
    numbers: tuple[int, ...]  # of the tracked optimizers


class ClipProbe(Probe):
    name = "clip"

    def __init__(self, scales: Scales, finite: FiniteProbe) -> None:
        self._scales = scales
        self._finite = finite
        self._used_up = False  # the iterator given to the call that is running was exhausted before
        self._known: dict[int, Covered] = {}  # by the identity of the line
        self._known_akin: dict[tuple[Site | None, int, int], tuple[int, ...]] = {}

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        listen = recorder.tap.listen
        # clip_grad_norm_ calls the last one by its name in the module, so that even a reference to it that was
        # imported before the watch began is seen.
        for owner in (clip_grad, torch.nn.utils):
            listen(owner, "clip_grad_norm_", self.name, before=self._called, after=self._returned, only_armed=True)
            self._listen(owner, "clip_grad_value_", "value", prepare=_as_list)
        self._listen(clip_grad, "_clip_grads_with_norm_", "norm", depth=5)  # torch itself gives it a list
        self._listen(torch.nn.utils, "clip_grads_with_norm_", "norm", prepare=_as_list)

    def _listen(self, owner: Any, name: str, kind: str, *, prepare: Any = None, depth: int = 3) -> None:
        if hasattr(owner, name):
            observers = partial(self._observe, kind, depth), self._observed
            self._recorder.tap.listen(
                owner, name, self.name, prepare=prepare, before=partial(self._begins, kind), after=self._ends,
                observers=observers,
            )  # fmt: skip

    def _called(self, args: Any, kwargs: Any) -> None:
        self._used_up = is_used_up(args[0] if args else kwargs.get("parameters"))

    def _returned(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        self._used_up = False

    # --- what happens

    def _begins(self, kind: str, args: Any, kwargs: Any) -> Clip | None:
        params = args[0] if args else kwargs.get("parameters")
        params = [params] if isinstance(params, Tensor) else params
        limit = args[1] if len(args) > 1 else kwargs.get("max_norm", kwargs.get("clip_value"))
        norm = None
        if kind == "norm":
            norm = args[2] if len(args) > 2 else kwargs.get("total_norm")
        elif isinstance(params, Exhausted):
            self._used_up = True
        if not isinstance(params, list):
            return None  # torch will say what is wrong
        return self._clip(params, kind, float(limit), norm)

    def _clip(self, params: list[Tensor], kind: str, limit: float, norm: Any) -> Clip:
        recorder = self._recorder
        site = recorder.sites.here(3)
        order = list(map(id, params))
        covered = self._known.get(id(site))
        if covered is None or covered.version != recorder.optimizers.version or covered.order != order:
            covered = self._known[id(site)] = self._cover(order)
        recorder.look(covered.optimizers)
        num_gradients = None if covered.is_all else [p.grad is not None for p in params].count(True)
        clip = self._describe(ClipCall(site, kind, limit, norm, covered), num_gradients)
        self._hear(kind, limit, norm)
        if _is_bad(norm):
            recorder.arm()
            self._finite.norm_is_bad(covered.ids)
        return clip

    def _hear(self, kind: str, limit: float, norm: Any) -> None:
        if kind == "norm":
            for hear in self._recorder.on_clip:
                hear(limit, norm)

    def _describe(self, call: ClipCall, num_gradients: int | None = None) -> Clip:
        """What is clipped, where it was looked at just now; without a number, all that is covered."""
        site, _, limit, _, covered = call
        recorder = self._recorder
        present: list[tuple[Provenance, int]] = []
        scaler = None
        for tracked, is_whole in zip(covered.optimizers, covered.are_whole, strict=True):
            mine = tracked.ledger.present() if is_whole else _count(tracked.ledger, covered.ids)
            if self._scales.by_backward:
                scaler = scaler or self._scales.of(tracked.id, [p for p, _ in mine])
            present += mine
        if recorder.unowned.states:
            present += _count(recorder.unowned, covered.ids)
        num_known = sum([number for _, number in present])
        num_gradients = num_known if num_gradients is None else num_gradients
        stack = recorder.thread_states.here().step_stack
        clip = Clip(call, present, num_gradients, stack[-1] if stack else None)
        if scaler is not None and not self._is_scaled_limit(limit, scaler, site):
            clip.scaler = scaler
        has_fresh = num_gradients > num_known
        for p, _ in present:
            has_fresh = has_fresh or bool(p.fresh) or p.by_hand or p == UNTOUCHED
        if not has_fresh:
            clip.used_up, clip.akin = self._used_up and not covered.order, self._akin(site, covered)
        return clip

    # --- in steady windows

    def _observe(self, kind: str, depth: int, args: Any, kwargs: Any) -> Clip | tuple[ClipCall, list[Any]] | None:
        recorder = self._recorder
        site = recorder.sites.near(depth)
        covered = self._known.get(id(site))
        if (
            covered is None or len(args) < 3 - (kind == "value") or not covered.is_all
            or covered.version != recorder.optimizers.version or covered.order != list(map(id, args[0]))
            or _is_bad(norm := args[2] if kind == "norm" else None)
        ):  # fmt: skip
            recorder.leave_steady()
            return self._begins(kind, args, kwargs)
        changes, before = [], []
        for tracked in covered.optimizers:
            change, states = recorder.steady.observe(tracked)
            changes.append(change)
            before.append(states)
        if None in changes:
            recorder.leave_steady()
            return self._begins(kind, args, kwargs)
        recorder.steady.marks.append((id(site), kind, _size(args[1]), tuple(changes)))
        if recorder.on_clip:
            self._hear(kind, args[1], norm)
        return ClipCall(site, kind, float(args[1]), norm, covered), before

    def _observed(self, begun: Any, args: Any, kwargs: Any, result: Any) -> None:
        if type(begun) is not tuple:
            self._ends(begun, args, kwargs, result)
            return
        call, before = begun
        after = []
        for tracked in call.covered.optimizers:
            tracked.ledger.states = states = tracked.ledger.scan()
            after.append(states)
        if self._recorder.tap.is_steady:
            self._recorder.steady.calls.append((self._clipped, call, before, after))
        else:
            self._clipped(call, before, after)

    def _clipped(self, call: ClipCall, before: list[Any], after: list[Any]) -> None:
        """Account for a call that was observed."""
        self._recorder.look(call.covered.optimizers, before)
        clip = self._describe(call)
        for tracked, states in zip(call.covered.optimizers, after, strict=True):
            tracked.ledger.settle(states)
        self._recorder.note(clip.token(), clip.fact)

    def _cover(self, order: list[int]) -> Covered:
        """Which optimizers hold these. The same line clips the same ones again and again."""
        ids = frozenset(order)
        optimizers = self._recorder.optimizers.holding(ids)
        are_whole = [ids >= tracked.ids for tracked in optimizers]
        is_all = all(are_whole) and sum(len(tracked.ids) for tracked in optimizers) == len(order)
        version = self._recorder.optimizers.version
        return Covered(order, version, ids, optimizers, are_whole, is_all, tuple([a.id for a in optimizers]))

    def _ends(self, clip: Clip | None, args: Any, kwargs: Any, result: Any) -> None:
        if clip is None:
            return
        if clip.call.kind == "value":
            self._used_up = False
        for tracked in clip.call.covered.optimizers:
            tracked.ledger.settle()
        if self._recorder.unowned.states:
            self._recorder.unowned.settle()
        self._recorder.note(clip.token(), clip.fact)

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

    def _akin(self, site: Site | None, covered: Covered) -> tuple[int, ...]:
        """The optimizers whose parameters some model holds together with these."""
        if not covered.order:
            return ()
        optimizers, ids = self._recorder.optimizers.values(), covered.ids
        key = (site, covered.order[0], len(optimizers))
        if key not in self._known_akin:
            held = [{id(p) for p in parameters_of(model)} for model in self._recorder.names.roots()]
            family = ids.union(*(h for h in held if not ids.isdisjoint(h)))
            self._known_akin[key] = tuple(a.id for a in optimizers if not family.isdisjoint(a.ids))
        return self._known_akin[key]


class Exhausted(list[Any]):
    """The empty list of an iterator that was run through before."""


def _as_list(args: Any) -> Any:
    """An iterator gives its parameters once: torch gets them from a list of ours."""
    params = args[0] if args else None
    if params is None or isinstance(params, Tensor | list):
        return args
    used_up = is_used_up(params)
    params = list(params)
    return (Exhausted() if used_up and not params else params, *args[1:])


def _count(ledger: Ledger, ids: frozenset[int]) -> list[tuple[Provenance, int]]:
    """Gradients of some parameters, by provenance."""
    counts: dict[Provenance, int] = {}
    for param, state, provenance in zip(ledger.alive(), ledger.states, ledger.provenances, strict=True):
        if state is not None and id(param) in ids:
            counts[provenance] = counts.get(provenance, 0) + 1
    return list(counts.items())


def _is_bad(norm: Any) -> bool:
    """On a GPU reading it would stall every step; there the sampled check of the gradients must do."""
    return type(norm) is Tensor and norm.is_cpu and not math.isfinite(norm.item())


def _value(norm: Any) -> float | None:
    """A norm that is spread over ranks can't be read by one of them alone."""
    if norm is None or isinstance(norm, float):
        return norm
    return float(norm) if type(norm) is Tensor or isinstance(norm, int) else None


def _size(limit: float) -> int | None:
    """Roughly: a limit may be adapted from step to step. One of 0 is like no other."""
    return math.frexp(min(limit, NO_LIMIT))[1] if limit else None
