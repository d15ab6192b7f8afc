"""Watch GradScalers: which losses they scale, what they unscale, and the steps that they take or skip."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

from torch import Tensor
from torch.amp.grad_scaler import GradScaler
from torch.optim import Optimizer

from surefoot.facts import ScalerFacts, Site, UnscaleFacts
from surefoot.watch.half.scale import Scaler, Scales
from surefoot.watch.half.scaled_loss import ScaledLosses, factors_of, tensors_in
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

MANY_SKIPS = 20  # the shape of a step changes here, so that it is recorded


class Unscale(NamedTuple):
    scaler: Scaler
    tracked: TrackedOptimizer
    site: Site | None
    inside: bool  # by `scaler.step` itself
    scale: float | None  # None on a device: reading it would stall


class ScalerProbe(Probe):
    name = "scaler"

    def __init__(self, scales: Scales) -> None:
        self._scales = scales
        self._scalers: dict[int, Scaler] = {}  # by id of the GradScaler
        self._num_scalers = 0
        self._losses = ScaledLosses()
        self._wrapped: set[type] = set()

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._wrap(GradScaler)
        recorder.tap.listen(GradScaler, "__init__", self.name, after=self._made)

    def _made(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        """Some subclasses, such as FSDP's, override the methods that are watched."""
        for each in type(args[0]).__mro__:
            if issubclass(each, GradScaler) and each not in self._wrapped:
                self._wrap(each)

    def _wrap(self, cls: type) -> None:
        self._wrapped.add(cls)
        tap, here = self._recorder.tap, vars(cls)
        if "scale" in here:
            tap.listen(cls, "scale", self.name, after=self._scaled, observers=(None, self._scaled))
        if "unscale_" in here:
            observers = self._observe_unscale, self._observed_unscale
            tap.listen(cls, "unscale_", self.name, before=self._unscales, after=self._unscaled, observers=observers)
        if "get_scale" in here:
            tap.listen(cls, "get_scale", self.name, before=self._is_asked)
        if "step" in here:
            before, after = self._step_begins, self._step_ends
            tap.listen(cls, "step", self.name, before=before, after=after, observers=(before, after))

    # --- what happens

    def scaler(self, scaler: GradScaler) -> Scaler:
        known = self._scalers.get(id(scaler))
        if known is None or known.ref() is not scaler:
            self._num_scalers += 1
            known = self._scalers[id(scaler)] = Scaler(self._num_scalers, scaler)
            self._recorder.ask_in_every_window(self, "backward_begins", "step_begins", observing=True)
        return known

    def _is_asked(self, args: Any, kwargs: Any) -> None:
        recorder = self._recorder
        site = recorder.sites.here()
        self._scales.asked(recorder.num_backwards, None if site is None else site.place)

    def _scaled(self, begun: None, args: Any, kwargs: Any, scaled: Any) -> None:
        if not args[0]._enabled:
            return
        scaler = args[0]
        known, factors = self.scaler(scaler), self._recorder.scaler_factors
        for output in (scaled,) if type(scaled) is Tensor else tensors_in(scaled):
            if output.grad_fn is not None:
                number = output.grad_fn._sequence_nr()
                factors[number] = scaler._scale
                factors.pop(self._losses.add(number, known, self._recorder.num_steps), None)  # type: ignore[arg-type]

    def backward_begins(self, backward: Backward) -> None:
        if not self._scalers:
            return
        outer = self._recorder.thread_states.here().backward_stack
        if outer:  # a re-entrant checkpoint goes on with the gradients of the backward around it
            backward.scaled_by = outer[-1].scaled_by
            self._scales.nested(backward.ordinal, outer[-1].ordinal)
            return
        nodes, now = [root.grad_fn for root in backward.roots if root.grad_fn is not None], self._recorder.num_steps
        scaler = self._losses.scaler_of(nodes, now) or self._by_hand(backward, nodes)
        if scaler is not None:
            self._scales.scaled(backward.ordinal, scaler)
        elif self._losses.is_unsure(nodes, now) or any(g.numel() > 1 for g in tensors_in(backward.gradient)):
            scaler = next(iter(self._scalers.values()))  # may be: only losses that are not scaled are told
        is_sure = scaler is not None and (len(nodes) < 2 or not self._is_partly_scaled(backward))
        backward.scaled_by = scaler.id if scaler is not None and is_sure else None

    def _is_partly_scaled(self, backward: Backward) -> bool:
        """Of several losses that are backwarded together, one surely was not scaled."""
        if len(backward.roots) < 2 or backward.gradient is not None:
            return False
        alone, now = [[root.grad_fn] for root in backward.roots if root.grad_fn is not None], self._recorder.num_steps
        return any(
            self._losses.scaler_of(node, now) is None
            and self._by_hand(backward, node) is None
            and not self._losses.is_unsure(node, now)
            for node in alone
        )

    def _by_hand(self, backward: Backward, nodes: list[Any]) -> Scaler | None:
        """`loss * scaler.get_scale()`, or the scale given as `gradient`."""
        given = [float(g) for g in tensors_in(backward.gradient) if g.numel() == 1]
        factors = {*given, *factors_of(nodes)}
        return next((known for known in self._scalers.values() if factors and known.scale in factors), None)

    def _unscales(self, args: Any, kwargs: Any) -> None:
        optimizer = args[1] if len(args) > 1 else kwargs.get("optimizer")
        if args[0]._enabled and isinstance(optimizer, Optimizer):
            tracked = self._tracked(optimizer)
            self._recorder.look([tracked, *self._recorder.optimizers.sharing(tracked)])

    def _unscaled(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        scaler, optimizer = args[0], args[1] if len(args) > 1 else kwargs.get("optimizer")
        if not scaler._enabled or not isinstance(optimizer, Optimizer):
            return
        recorder = self._recorder
        tracked = self._tracked(optimizer)
        for each in (tracked, *recorder.optimizers.sharing(tracked)):
            each.ledger.settle()
            self._scales.unscaled(each.id, recorder.num_backwards)
        self._note(self._unscale(scaler, tracked, recorder.sites.here()))

    def _unscale(self, scaler: GradScaler, tracked: TrackedOptimizer, site: Site | None) -> Unscale:
        known, scale = self.scaler(scaler), None
        if isinstance(tensor := scaler._scale, Tensor) and tensor.is_cpu:
            scale = known.last_scale = tensor.item()
        return Unscale(known, tracked, site, self._recorder.by_scaler is not None, scale)

    def _note(self, unscale: Unscale) -> None:
        known, tracked, site, inside, scale = unscale
        self._recorder.note(
            ("unscale", id(site), known.id, tracked.id, inside),
            lambda at: UnscaleFacts(at, known.id, tracked.id, site, scale or known.scale, inside),
        )

    # --- in steady windows

    def _observe_unscale(self, args: Any, kwargs: Any) -> tuple[Unscale, int, Any] | None:
        """What is unscaled, after how many backwards, and the state of its gradients before."""
        recorder = self._recorder
        scaler, tracked = args[0], recorder.optimizers.get(args[1]) if len(args) > 1 else None
        if tracked is not None and scaler._enabled:
            change, states = recorder.steady.observe(tracked)
            if change is not None:
                unscale = self._unscale(scaler, tracked, recorder.sites.near(3))
                recorder.steady.marks.append(
                    ("unscale", id(unscale.site), unscale.scaler.id, tracked.id, unscale.inside, change)
                )
                return unscale, recorder.num_backwards, states
        recorder.leave_steady()
        self._unscales(args, kwargs)
        return None

    def _observed_unscale(self, begun: tuple[Unscale, int, Any] | None, args: Any, kwargs: Any, result: Any) -> None:
        if begun is None:
            self._unscaled(None, args, kwargs, result)
            return
        recorder, ledger = self._recorder, begun[0].tracked.ledger
        ledger.states = after = ledger.scan()
        if recorder.tap.is_steady:
            recorder.steady.calls.append((self._account_for_unscale, *begun, after))
        else:
            self._account_for_unscale(*begun, after)

    def _account_for_unscale(self, unscale: Unscale, num_backwards: int, before: Any, after: Any) -> None:
        tracked = unscale.tracked
        self._recorder.look([tracked], [before])
        tracked.ledger.settle(after)
        self._scales.unscaled(tracked.id, num_backwards)
        self._note(unscale)

    def _tracked(self, optimizer: Optimizer) -> TrackedOptimizer:
        # Its step and `zero_grad` follow changes of the parameter groups; here that would be work for nothing.
        return self._recorder.optimizers.get(optimizer) or self._recorder.tracked(optimizer)

    # --- steps

    def _step_begins(self, args: Any, kwargs: Any) -> tuple[TrackedOptimizer, int, Site | None] | None:
        scaler, optimizer = args[0], args[1] if len(args) > 1 else kwargs.get("optimizer")
        if not scaler._enabled or not isinstance(optimizer, Optimizer) or self._recorder.by_scaler is not None:
            return None
        recorder = self._recorder
        recorder.by_scaler, recorder.by_scaler_at = self.scaler(scaler), recorder.sites.near(3)
        tracked = self._tracked(optimizer)
        return tracked, tracked.num_updates, recorder.by_scaler_at

    def _step_ends(
        self, before: tuple[TrackedOptimizer, int, Site | None] | None, args: Any, kwargs: Any, result: Any
    ) -> BaseException | None:
        if before is None:
            return None
        recorder = self._recorder
        tracked, num_updates, site = before
        optimizer = tracked.optimizer()
        try:
            if tracked.num_updates > num_updates or optimizer is None:
                return None
            self.scaler(args[0]).skipped(optimizer)
            return recorder.skip_step(tracked, optimizer, site)
        finally:
            recorder.by_scaler = recorder.by_scaler_at = None

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        if not self._scalers:
            return None
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None:
            return None
        scaled = self._left_in(tracked, optimizer)
        by: Scaler | None = self._recorder.by_scaler
        skips = 0 if by is None else by.num_skipped.get(id(optimizer), 0)
        return scaled and scaled.id, by and by.id, skips >= MANY_SKIPS

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        tracked = self._recorder.optimizers.get(optimizer)
        if not self._scalers or tracked is None:
            return {}
        facts: dict[str, Any] = {}
        by: Scaler | None = self._recorder.by_scaler
        if by is not None:
            skipped = by.num_skipped.get(id(optimizer), 0)
            facts["scaler"] = ScalerFacts(by.id, by.scale, True, skipped, by.init_scale)
        scaled = self._left_in(tracked, optimizer)
        if scaled is not None:
            facts["scale"] = scaled.scale
        return facts

    def _left_in(self, tracked: TrackedOptimizer, optimizer: Optimizer) -> Scaler | None:
        """The scaler whose scale is still in the gradients that are about to be used."""
        if getattr(optimizer, "grad_scale", None) is not None:  # a fused optimizer divides by it itself
            return None
        return self._scales.of(tracked.id, tracked.ledger.distinct)
