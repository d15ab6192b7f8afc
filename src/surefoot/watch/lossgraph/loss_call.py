"""Thin wrappers of torch's loss functions: which user line computed a loss, and from what."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch import Tensor, is_grad_enabled
from torch._C import _len_torch_dispatch_stack, _len_torch_function_stack
from torch.compiler import is_dynamo_compiling
from torch.nn import functional

from surefoot.facts import InputFacts, Site, TargetFacts
from surefoot.watch.lossgraph.values import read_input, read_target
from surefoot.watch.tap import Function

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from surefoot.watch.recorder import Recorder

LOSSES = {
    "binary_cross_entropy": "bce", "binary_cross_entropy_with_logits": "bce-with-logits",
    "cosine_embedding_loss": "cosine-embedding", "cross_entropy": "cross-entropy", "ctc_loss": "ctc",
    "gaussian_nll_loss": "gaussian-nll", "hinge_embedding_loss": "hinge-embedding", "huber_loss": "huber",
    "kl_div": "kl", "l1_loss": "l1", "margin_ranking_loss": "margin-ranking", "mse_loss": "mse",
    "multi_margin_loss": "multi-margin", "multilabel_margin_loss": "multilabel-margin",
    "multilabel_soft_margin_loss": "multilabel-soft-margin", "nll_loss": "nll", "poisson_nll_loss": "poisson-nll",
    "smooth_l1_loss": "smooth-l1", "soft_margin_loss": "soft-margin", "triplet_margin_loss": "triplet-margin",
    "triplet_margin_with_distance_loss": "triplet-margin",
}  # fmt: skip
ARMED_UNEQUAL = 8  # micro-batches of unequal size, from which on a window is read closely
KEPT_CALLS = 1024  # losses that are never backwarded must not pile up
READ_CALLS = 16  # calls from one line whose arguments are read
SPACING, FAR_SPACING = 64, 1024  # after these one in so many; on other devices, for which reading waits, fewer


@dataclass(slots=True)
class LossLine:
    """A line of user code that computes a loss, and how it last did."""

    kind: str
    site: Site
    num_calls: int = 0
    reduction: str = "mean"
    is_weighted: bool = False
    label_smoothing: float = 0.0
    input: InputFacts | None = None
    target: TargetFacts | None = None

    def read(self, given: dict[str, Any], first: Any, second: Any) -> None:
        self.reduction = _reduction(given)
        self.is_weighted = given.get("weight") is not None or given.get("pos_weight") is not None
        self.label_smoothing = given.get("label_smoothing") or 0.0
        self.input = read_input(self.kind, first)
        self.target = read_target(self.kind, second)


@dataclass(slots=True)
class LossCall:
    """A loss that was computed and may be backwarded. Holds no tensor."""

    place: LossLine
    node_type: type  # of the node it returned: guards against two threads that count alike
    input_shape: tuple[int, ...]
    target_shape: tuple[int, ...]
    is_target_turned: bool  # given a dimension by the program, to meet the prediction's


class LossCalls:
    """Losses by the sequence number of the node they returned."""

    def __init__(self, on_evaluated: Callable[[str, Tensor], None]) -> None:
        self.on_evaluated = on_evaluated  # told of losses without gradients, by kind
        self.by_sequence: dict[int, LossCall] = {}
        self._rows: dict[str, tuple[int, int]] = {}  # by kind, the step before which rows were counted, and how many
        self._num_unequal = 0
        self._places: dict[tuple[int, int, str], LossLine] = {}
        self._kept: list[CodeType] = []  # keeps code objects alive, because the cache knows them by id

    def install(self, recorder: Recorder) -> None:
        for name, kind in LOSSES.items():
            recorder.tap.replace(functional, name, self._maker(recorder, name, kind))

    def _maker(self, recorder: Recorder, name: str, kind: str) -> Any:
        def make(original: Function) -> Function:
            on_evaluated = self.on_evaluated
            names = list(inspect.signature(original).parameters)

            def loss(*args: Any, **kwargs: Any) -> Any:
                result = original(*args, **kwargs)
                if is_dynamo_compiling() or type(result) is not Tensor or not recorder.tap.on:
                    return result
                if _len_torch_function_stack():  # a mode of the program would see what we ask the loss
                    recorder.tap.run("loss", hear, result, args, kwargs)
                elif recorder.tap.armed or recorder.accumulates or recorder.on_loss_call or not result.requires_grad:
                    hear(result, args, kwargs)
                return result

            def hear(result: Tensor, args: Any, kwargs: Any) -> None:
                for heard in recorder.on_loss_call:
                    recorder.tap.run("loss", heard, name, args, kwargs, result)
                if not result.requires_grad:
                    # Where somebody takes down every operation, reading a value must not be among them.
                    if not is_grad_enabled() and not result.ndim and not _len_torch_dispatch_stack():
                        on_evaluated(kind, result)
                    return
                if recorder.accumulates and args and isinstance(args[0], Tensor):
                    given = args[0]
                    recorder.loss_rows = rows = given.shape[0] if given.ndim else 1
                    step, first = self._rows.get(kind, (-1, 0))
                    if step != recorder.num_steps:
                        self._rows[kind] = (recorder.num_steps, rows)
                    elif rows != first:
                        self._is_unequal(recorder, kind)
                if recorder.tap.armed:
                    recorder.tap.run("loss", self._note, recorder, kind, result, names, args, kwargs)

            scripts_as(loss, original)
            return loss

        return make

    def _is_unequal(self, recorder: Recorder, kind: str) -> None:
        """A micro-batch of another size than the first of its window weighs as much: it must not be missed."""
        recorder.mark(("unequal", kind))
        self._num_unequal += 1
        if self._num_unequal <= ARMED_UNEQUAL:
            recorder.arm()

    def of(self, node: Any) -> LossCall | None:
        call = self.by_sequence.get(node._sequence_nr())
        return call if call is not None and call.node_type is type(node) else None

    def _note(self, recorder: Recorder, kind: str, result: Tensor, names: list[str], args: Any, kwargs: Any) -> None:
        place = self._place(recorder, kind)
        if place is None:
            return
        first = args[0] if args else kwargs.get(names[0])
        second = args[1] if len(args) > 1 else kwargs.get(names[1])
        given = dict(zip(names, args, strict=False), **kwargs)
        if place.num_calls < READ_CALLS or place.num_calls % (SPACING if result.is_cpu else FAR_SPACING) == 0:
            place.read(given, first, second)
        for probe, heard in recorder.on_training_loss:
            recorder.tap.attempt(probe, heard, place, given, first, second)
        place.num_calls += 1
        node = result.grad_fn
        if node is None:
            return
        if len(self.by_sequence) >= KEPT_CALLS:
            for old in list(self.by_sequence)[: KEPT_CALLS // 2]:
                del self.by_sequence[old]
        self.by_sequence[node._sequence_nr()] = LossCall(
            place,
            type(node),
            first.shape if isinstance(first, Tensor) else (),
            second.shape if isinstance(second, Tensor) else (),
            isinstance(second, Tensor) and second._base is not None and second._base.dim() < second.dim(),
        )

    def _place(self, recorder: Recorder, kind: str) -> LossLine | None:
        """The user's line. Unlike `Sites.here` it does not look at callers: this runs on every loss."""
        frame: FrameType | None = sys._getframe(3)
        is_user = recorder.sites.is_user
        while frame is not None and not is_user(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is None:
            return None
        code = frame.f_code
        key = (id(code), frame.f_lasti, kind)
        place = self._places.get(key)
        if place is None:
            self._kept.append(code)
            place = self._places[key] = LossLine(kind, Site(code.co_filename, frame.f_lineno, code.co_qualname))
        return place


def _reduction(given: dict[str, Any]) -> str:
    if given.get("reduce") is not None or given.get("size_average") is not None:  # torch's old spelling
        averages = given.get("size_average") is not False
        return "none" if given.get("reduce") is False else "mean" if averages else "sum"
    return str(given.get("reduction", "mean"))


def scripts_as(wrapper: Any, original: Function) -> None:
    """Let `torch.jit.script` compile torch's own function, whose source it needs, in place of the wrapper."""
    wrapper.__script_if_tracing_wrapper = True
    wrapper.__original_fn = original
