"""Watch gradient clipping by torch's own functions. Hand-written clipping shows as an edit of the gradients."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.utils import clip_grad

from surefoot.facts import ClipFacts, Site
from surefoot.watch.finite.probe import FiniteProbe
from surefoot.watch.half.scale import Scaler, Scales
from surefoot.watch.inventory.module import parameters_of
from surefoot.watch.one_shot import is_used_up
from surefoot.watch.probe import Probe
from surefoot.watch.provenance import UNTOUCHED, Ledger, Provenance

if TYPE_CHECKING:
    from surefoot.watch.account import Account
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

    def token(self) -> Hashable:
        story = tuple([(len(p.sources), len(p.fresh), bool(p.used_by), p.edited, p.by_hand) for p in self.provenances])
        size = math.frexp(min(self.max_norm, NO_LIMIT))[1]  # a limit may be adapted from step to step
        return (
            "clip", id(self.site), self.kind, size, self.num_params, self.num_gradients, self.num_live, self.num_fresh,
            self.optimizers, story, None if self.scaler is None else self.scaler.id, self.used_up, self.akin,
            self.inside_step,
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


class Covered(NamedTuple):
    """What one line clips."""

    order: list[int]  # identities of the parameters
    version: int  # of the accounts then
    ids: frozenset[int]
    accounts: list[Account]
    are_whole: list[bool]  # by account, whether all that it holds is clipped
    is_all: bool  # and nothing else is
    numbers: tuple[int, ...]  # of the accounts


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
            listen(
                owner, "clip_grad_value_", self.name, prepare=_as_list, before=partial(self._begins, "value"),
                after=self._ends,
            )  # fmt: skip
        for owner, name in ((clip_grad, "_clip_grads_with_norm_"), (torch.nn.utils, "clip_grads_with_norm_")):
            if hasattr(owner, name):
                prepare = None if owner is clip_grad else _as_list  # torch itself gives it a list
                listen(owner, name, self.name, prepare=prepare, before=partial(self._begins, "norm"), after=self._ends)

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
        site = recorder.sites.here()
        covered = self._covered(site, params)
        ids, accounts = covered.ids, covered.accounts
        recorder.look(accounts)
        ledgers: list[Ledger] = []
        provenances: dict[Provenance, int] = {}  # of gradients that are there, and how many have it
        scaler = None
        for account, is_whole in zip(accounts, covered.are_whole, strict=True):
            mine: dict[Provenance, int] = {}
            _count(account.ledger, None if is_whole else ids, mine)
            scaler = scaler or self._scales.of(account.id, mine)
            ledgers.append(account.ledger)
            for p, number in mine.items():
                provenances[p] = provenances.get(p, 0) + number
        if recorder.unowned.states:
            _count(recorder.unowned, ids, provenances)
            ledgers.append(recorder.unowned)
        if scaler is not None and self._is_scaled_limit(limit, scaler, site):
            scaler = None
        num_gradients = sum(provenances.values())
        if not covered.is_all or recorder.unowned.states:
            num_gradients = [p.grad is not None for p in params].count(True)
        num_untold = max(0, num_gradients - sum(provenances.values()))  # nobody knows where these come from
        num_untold += provenances.get(UNTOUCHED, 0)
        num_live = num_fresh = num_untold
        for p, number in provenances.items():
            num_live += number if p.sources or p.by_hand else 0
            num_fresh += number if p.fresh or p.by_hand else 0
        clip = Clip(
            site, kind, limit, len(params), num_gradients, num_live, num_fresh, covered.numbers,
            tuple(provenances), scaler, self._used_up and not params,
            () if num_fresh else self._akin(site, params, ids), recorder.inside_step, ledgers, norm,
        )  # fmt: skip
        self._warn_if_bad(norm, ids)
        return clip

    def _covered(self, site: Site | None, params: list[Tensor]) -> Covered:
        """Which optimizers hold these. The same line clips the same ones again and again."""
        order, version = list(map(id, params)), self._recorder.accounts.version
        known = self._known.get(id(site))
        if known is not None and known.version == version and known.order == order:
            return known
        ids = frozenset(order)
        accounts = self._recorder.accounts.holding(ids)
        are_whole = [ids >= account.ids for account in accounts]
        is_all = all(are_whole) and sum(len(account.ids) for account in accounts) == len(order)
        known = Covered(order, version, ids, accounts, are_whole, is_all, tuple(a.id for a in accounts))
        self._known[id(site)] = known
        return known

    def _ends(self, clip: Clip | None, args: Any, kwargs: Any, result: Any) -> None:
        if clip is None:
            return
        if clip.kind == "value":
            self._used_up = False
        for ledger in clip.ledgers:
            ledger.settle()
        clip.ledgers = []
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

    def _warn_if_bad(self, norm: Any, ids: frozenset[int]) -> None:
        # On a GPU reading it would stall every step; there the sampled check of the gradients must do.
        cheap = type(norm) is Tensor and norm.device.type == "cpu"
        if cheap and not math.isfinite(norm.item()):
            self._recorder.arm()
            self._finite.norm_is_bad(ids)

    def _akin(self, site: Site | None, params: Sequence[Tensor], ids: frozenset[int]) -> tuple[int, ...]:
        """The optimizers whose parameters some model holds together with these."""
        if not params:
            return ()
        accounts = self._recorder.accounts.values()
        key = (site, id(params[0]), len(accounts))
        if key not in self._known_akin:
            held = [{id(p) for p in parameters_of(model)} for model in self._recorder.names.roots()]
            family = ids.union(*(h for h in held if not ids.isdisjoint(h)))
            self._known_akin[key] = tuple(a.id for a in accounts if not family.isdisjoint(a.ids))
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


def _count(ledger: Ledger, ids: frozenset[int] | None, into: dict[Provenance, int]) -> None:
    """Gradients by provenance; of all parameters when `ids` is None."""
    if ids is None:
        for provenance, size in ledger.present():
            into[provenance] = into.get(provenance, 0) + size
        return
    for param, state, provenance in zip(ledger.alive(), ledger.states, ledger.provenances, strict=True):
        if state is not None and id(param) in ids:
            into[provenance] = into.get(provenance, 0) + 1


def _value(norm: Any) -> float | None:
    """A norm that is spread over ranks can't be read by one of them alone."""
    if norm is None or isinstance(norm, float):
        return norm
    return float(norm) if type(norm) is Tensor or isinstance(norm, int) else None
