"""The lines of each stage. The first one stands beside its name and its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surefoot.facts import LossFacts
from surefoot.lab.trace.stage import (
    Backward,
    Change,
    Clear,
    Clip,
    Data,
    Edit,
    Evaluation,
    Forward,
    Item,
    Loss,
    ModuleCall,
    Pass,
    Schedule,
    Stage,
    Step,
    Unscale,
    Values,
)
from surefoot.lab.trace.write import (
    ITEM_HEADERS,
    Row,
    duration,
    item,
    listed,
    memory,
    number,
    percent,
    plural,
    shape,
    shapes,
    shortened,
    some,
    table,
    values,
)

NUM_SHOWN = 3  # values of each gradient
NUM_COMPARED = 2  # before and after, if there is room
LONGEST_COMPARISON = 36
LONGEST_MODULE = 20
LONGEST_KIND = 17
MOST_ROWS = 12


class Describe:
    def __init__(self, folder: str, *, full: bool, optimizers: Mapping[int, str]) -> None:
        self._folder = folder
        self._full = full
        self._optimizers = optimizers
        self._shown: tuple[Item, ...] = ()  # the batch that was told last

    def stage(self, stage: Stage) -> list[str]:
        describe = getattr(self, f"_{stage.kind}")
        message: list[str] = describe(stage)
        return message

    def _pass(self, stage: Pass) -> list[str]:
        if stage.edge == "start":
            length = f" of {_batches(stage.num_batches)}" if stage.num_batches else ""
            return [f"pass {stage.epoch}{length} over loader {stage.loader} begins"]
        how = "has run out" if stage.complete else "was left"
        return [f"loader {stage.loader} {how} after {_batches(stage.num_batches)} of pass {stage.epoch}"]

    def _data(self, stage: Data) -> list[str]:
        self._shown = stage.items
        of = f" of {stage.length}" if stage.length is not None else ""
        return [f"batch {stage.number}{of}, waited for {duration(stage.seconds)}", *_items(stage.items, "batch")]

    def _forward(self, stage: Forward) -> list[str]:
        whole = stage.calls[0]
        mode = "" if stage.training else ", in eval mode"
        alone = "" if stage.calls[1:] else f"mean {number(whole.mean)}, spread {number(whole.spread)}, "
        message = [
            f"{stage.model}{mode}: {shapes(whole.given)} → {shapes(whole.output)}, {alone}"
            f"{duration(whole.seconds)}, {memory(whole.num_bytes)}"
        ]
        known = [part.tensor for part in self._shown]
        if any(part.tensor is not None and part.tensor not in known for part in stage.given):
            message += _items(stage.given, "input")
        self._shown = (*self._shown, *stage.given, *stage.output)
        inner = stage.calls[1:]
        if not inner:
            return message
        rows, deepest = self._calls(inner)
        headers = ("module", "kind", "in", "out", "mean", "spread", "time", "memory")
        message += table(headers, rows, ("mean", "spread", "time", "memory"))
        left_out = len(inner) - len(rows) + stage.num_left_out
        if left_out:
            message.append(f"… and {left_out} more inside" if deepest else f"… and {left_out} more")
        return message

    def _calls(self, calls: Sequence[ModuleCall]) -> tuple[list[Row], bool]:
        """All, or those down to a depth, or the first ones."""
        chosen = list(calls)
        depths = sorted({call.depth for call in calls}, reverse=True)
        while not self._full and len(chosen) > MOST_ROWS and len(depths) > 1:
            chosen = [call for call in chosen if call.depth < depths[0]]
            depths.pop(0)
        deepest = len(chosen) < len(calls)
        path: list[str] = []  # names of the calls around
        rows = []
        for call in chosen if self._full else chosen[: 2 * MOST_ROWS]:
            del path[call.depth - 1 :]
            rows.append(_call(call, path[-1] if path else ""))
            path.append(call.name)
        return rows, deepest

    def _evaluation(self, stage: Evaluation) -> list[str]:
        models = ", ".join(f"{model} {count} times" if count > 1 else model for model, count in stage.models.items())
        return [f"without gradients: {models}, {duration(stage.seconds)}"]

    def _loss(self, stage: Loss) -> list[str]:
        wiring = stage.wiring
        if wiring is None:
            return [f"{number(stage.value)}"]
        message = [f"{number(stage.value)}  {_wiring(wiring)}"]
        message += [f"+ {_wiring(term)}" for term in wiring.terms]
        if wiring.chain and not wiring.terms:
            feeds = [op.name for op in wiring.fed_by]
            message.append("graph: " + " ← ".join([*wiring.chain, *feeds[:4]]))
        return message

    def _backward(self, stage: Backward) -> list[str]:
        owned = f" of {stage.num_params}" if stage.num_params else ""
        more = ", of a scaled loss" if stage.scale else ""
        more += ", graph kept" if stage.retain_graph else ""
        message = [
            f"number {stage.backward}: {len(stage.changes)}{owned} parameters got gradients, "
            f"norm {number(stage.norm)}, {duration(stage.seconds)}{more}"
        ]
        return message + self._gradients(stage.changes)

    def _gradients(self, changes: Sequence[Change]) -> list[str]:
        """With what was there before, if anything was."""
        if not changes:
            return []
        added = any(change.before is not None for change in changes)
        rows: list[Row] = []
        for change in changes:
            was = f"{number(change.before)} from {listed(change.sources[:-1])}" if change.sources[:-1] else "zeros"
            before = ("none" if change.before is None else was,) if added else ()
            shown = values(change.values_after[:NUM_SHOWN], change.shape)
            rows.append((shortened(change.name), shape(change.shape), number(change.after), *before, shown))
        there = ("there before",) if added else ()
        return self._table(("parameter", "shape", "norm", *there, "gradient"), rows, ("norm",))

    def _clear(self, stage: Clear) -> list[str]:
        who = f"zero_grad() of {stage.model if stage.optimizer is None else self._who(stage.optimizer, stage.name)}"
        if not stage.changes:
            return [f"{who}: nothing was there"]
        to = "to None" if stage.set_to_none else "to zero"
        num_unused = stage.num_unused if stage.inside_step is None else 0  # a closure may be called again
        unused = f"; {num_unused} of them no step had used" if num_unused else ""
        return [f"{who}: {plural(len(stage.changes), 'gradient')} {to}{unused}"]

    def _edit(self, stage: Edit) -> list[str]:
        gone = sum(change.after is None for change in stage.changes)
        what = "removed" if gone == len(stage.changes) else "changed"
        message = f"other code {what} {plural(len(stage.changes), 'gradient')}, seen before {stage.before_stage}"
        return [message, *([] if gone == len(stage.changes) else self._before_and_after(stage.changes))]

    def _unscale(self, stage: Unscale) -> list[str]:
        return [f"gradients of {self._who(stage.optimizer)} divided by {number(stage.scale)}"]

    def _clip(self, stage: Clip) -> list[str]:
        if not stage.num_gradients:
            return [f"{stage.num_params} parameters passed, none with a gradient"]
        if stage.by == "value":
            message = f"elements cut at ±{number(stage.limit)}: {plural(len(stage.changes), 'gradient')} changed"
            return [message, *self._before_and_after(stage.changes)]
        if stage.factor == 1.0:
            return [f"norm {number(stage.norm)} is within {number(stage.limit)}: nothing changed"]
        return [
            f"norm {number(stage.norm)} → {number(stage.norm_after)} (limit {number(stage.limit)}): "
            f"{plural(stage.num_gradients, 'gradient')} times {number(stage.factor)}",
            *self._before_and_after(stage.changes),
        ]

    def _before_and_after(self, changes: Sequence[Change]) -> list[str]:
        rows = [
            (
                shortened(change.name), shape(change.shape), number(change.before), number(change.after),
                _two(change),
            )
            for change in changes
        ]  # fmt: skip
        return self._table(("parameter", "shape", "norm", "after", "gradient"), rows, ("norm", "after")) if rows else []

    def _step(self, stage: Step) -> list[str]:
        settings = ", ".join([f"rate {_rates(stage.rates)}", *(f"{k} {_rates(v)}" for k, v in stage.settings.items())])
        if stage.skipped:
            return [f"{self._who(stage.optimizer)} skipped by the GradScaler: gradients are not finite"]
        moved = sum(change.moved > 0 for change in stage.changes)
        used = f"; uses backward {listed(stage.window)}" if stage.window else "; uses no backward"
        message = [f"{self._who(stage.optimizer)}: {moved} of {len(stage.changes)} parameters moved{used}", settings]
        rows = [
            (
                shortened(change.name), shape(change.shape), number(change.gradient), number(change.moved),
                percent(change.moved, change.before), _two(change),
            )
            for change in stage.changes
        ]  # fmt: skip
        headers = ("parameter", "shape", "gradient", "moved", "of size", "weights")
        return message + self._table(headers, rows, ("gradient", "moved", "of size")) if rows else message

    def _schedule(self, stage: Schedule) -> list[str]:
        metric = "" if stage.metric is None else f", given {number(stage.metric)}"
        name = f"{stage.name or 'scheduler'}, call {stage.count}{metric}"
        if not stage.rates:
            return [f"{name}: rate unchanged"]
        several = len(self._optimizers) > 1
        rates = [
            (f"optimizer {rate.optimizer} " if several else "") + f"{_rates(rate.before)} → {_rates(rate.after)}"
            for rate in stage.rates
        ]
        return [f"{name}: rate {'; '.join(rates)}"]

    def _table(self, headers: Row, rows: Sequence[Row], right: Sequence[str]) -> list[str]:
        shown, left_out = some(rows, full=self._full, most=MOST_ROWS)
        message = table(headers, shown, right)
        return [*message, f"… {left_out} more"] if left_out else message

    def _who(self, optimizer: int, name: str = "") -> str:
        name = name or self._optimizers.get(optimizer, "optimizer")
        return f"{name} (optimizer {optimizer})" if len(self._optimizers) > 1 else name


def _batches(count: int) -> str:
    return "1 batch" if count == 1 else f"{count} batches"


def _items(items: Sequence[Item], whole: str) -> list[str]:
    return table(ITEM_HEADERS, [item(part, whole) for part in items], ("mean", "spread")) if items else []


def _call(call: ModuleCall, around: str) -> Row:
    inside = call.name.removeprefix(f"{around}.") if around else call.name
    name = "  " * (call.depth - 1) + shortened(inside or "(no part of it)", LONGEST_MODULE)
    bad = f"{call.num_bad} bad" if call.num_bad else number(call.mean)
    kind = shortened(call.module, LONGEST_KIND)
    seen = (shapes(call.given, 1), shapes(call.output, 1), bad, number(call.spread))
    return (name, kind, *seen, duration(call.seconds), memory(call.num_bytes))


def _wiring(loss: LossFacts) -> str:
    message = [] if loss.kind == loss.reduction != "" else [loss.kind or "of unknown kind"]
    if loss.reduction:
        items = "" if loss.num_items is None else f" over {plural(loss.num_items, 'item')}"
        message.append(f"{loss.reduction}{items}")
    if loss.num_classes is not None:
        message.append(f"{loss.num_classes} classes")
    if loss.num_valid is not None and loss.num_valid != loss.num_items:
        message.append(f"{loss.num_valid} valid targets")
    if loss.factor is None:
        message.append("times something that is no constant")
    elif loss.factor != 1:
        message.append(f"times {number(loss.factor)}")
    if loss.terms:
        message.append(f"sum of {loss.num_terms} terms")
    return ", ".join(message)


def _two(change: Change) -> str:
    for num in range(NUM_COMPARED, 0, -1):
        before, after = change.values_before[:num], change.values_after[:num]
        message = f"{values(before, ())} → {values(after, change.shape)}"
        if len(message) <= LONGEST_COMPARISON:
            break
    return message


def _rates(rates: Values) -> str:
    distinct = list(dict.fromkeys(rates))
    return ", ".join(map(number, distinct[:4])) if distinct else "unknown"
