"""How far each quantity of one run is from that of the reference, in the order in which a step computes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from surefoot.verify.recording import Activation, Recording
from surefoot.verify.samples import Order, Ranked, calls_of, matching, order_by_value, samples_of

STAGES = (
    "weights before", "inputs", "activation", "dropout", "gradient before clipping", "norm before clipping",
    "clip factor", "gradient", "rate", "update", "weights", "buffer",
)  # fmt: skip
OF_PARAMETERS = {
    "gradient before clipping": "unclipped", "gradient": "gradients", "update": "updates", "weights": "weights",
    "buffer": "buffers",
}  # fmt: skip
INPUT_TOLERANCE = 1e-5  # of inputs that each run computes for itself

Key = tuple[int, str, str, int]  # step, stage, name, number of the call


@dataclass
class Distance:
    """`by_rank` are the other's values; `norm` is the reference's. Without values `reason` tells what differs."""

    step: int  # from 1
    stage: str
    name: str
    kind: str = ""  # of a module
    difference: float = 0.0
    norm: float = 0.0
    scale: float = 0.0  # what rounding is relative to, if not to the values themselves
    reference: Tensor | None = None
    by_rank: list[Tensor] = field(default_factory=list)
    rank: int = 0  # the one that is farthest off
    reason: str = ""


def distances(reference: Sequence[Recording], other: Sequence[Recording]) -> tuple[dict[Key, Distance], list[str]]:
    """And what could not be compared, with the reason."""
    found: dict[Key, Distance] = {}
    left_out: list[str] = []
    num_steps = min(len(one.steps) for one in (*reference, *other))
    for step in range(num_steps):
        for index, one in _of_step(reference, other, step, left_out):
            found[one.step, one.stage, one.name, index] = one
    order = {stage: at for at, stage in enumerate(STAGES)}
    ordered = sorted(found.items(), key=lambda item: (item[0][0], order[item[0][1]]))
    return dict(ordered), list(dict.fromkeys(left_out))


def _of_step(
    reference: Sequence[Recording], other: Sequence[Recording], step: int, left_out: list[str]
) -> Iterator[tuple[int, Distance]]:
    if reference[0].steps[step].number == 1:
        yield from ((0, one) for one in _params(reference, other, step, "weights before", "weights_before"))
    inputs, order = _inputs(reference, other, step)
    if inputs is not None:
        yield 0, inputs
    if inputs is None or not inputs.reason:
        yield from _activations(reference, other, step, order, left_out)
    yield from ((0, one) for one in _masks(other, step))
    for stage, attribute in OF_PARAMETERS.items():
        yield from ((0, one) for one in _params(reference, other, step, stage, attribute))
    for stage, values in (("norm before clipping", "norms"), ("clip factor", "clip_factors"), ("rate", "rates")):
        yield from ((0, one) for one in _numbers(reference, other, step, stage, values))


def _inputs(
    reference: Sequence[Recording], other: Sequence[Recording], step: int
) -> tuple[Distance | None, Order | None]:
    one, two = calls_of(reference, step), calls_of(other, step)
    rows = samples_of(one), samples_of(two)
    if not rows[0] or not rows[1]:
        return None, None
    found = Distance(step + 1, "inputs", "the model's inputs")
    if matching(*rows) is not None:
        return found, None
    order = order_by_value(one, two, INPUT_TOLERANCE)
    if order is None:
        common = len(set(rows[0]) & set(rows[1]))
        found.reason = (
            f"the reference computes with {len(rows[0])} samples, the other run with {len(rows[1])}; "
            f"{common} of them are the same"
        )
    return found, order


def _activations(
    reference: Sequence[Recording], other: Sequence[Recording], step: int, order: Order | None, left_out: list[str]
) -> Iterator[tuple[int, Distance]]:
    one, two = _by_key(calls_of(reference, step)), _by_key(calls_of(other, step))
    for (name, index), (calls, found) in one.items():
        if (name, index) not in two:
            left_out.append(f"activations of {name} ({found[0].kind}): the other run does not call it as a module")
            continue
        rows = _rows((calls, found), two[name, index], order)
        if rows is None:
            left_out.append(f"activations of {name} ({found[0].kind}): their shapes do not tell samples apart")
            continue
        yield index, _between(Distance(step + 1, "activation", name, found[0].kind), rows[0], [rows[1]])


Calls = tuple[Ranked, list[Activation]]


def _by_key(calls: Ranked) -> dict[tuple[str, int], Calls]:
    found: dict[tuple[str, int], Calls] = {}
    for rank, number, call in calls:
        for one in call.activations:
            inside, activations = found.setdefault((one.name, one.index), ([], []))
            inside.append((rank, number, call))
            activations.append(one)
    return found


def _rows(one: Calls, two: Calls, order: Order | None) -> tuple[Tensor, Tensor] | None:
    """Of all calls together, the other's in the order of the reference's."""
    for dim in (0, 1):
        shapes = {act.rows[dim][0] if dim in act.rows else None for act in (*one[1], *two[1])}
        if len(shapes) != 1 or None in shapes:
            continue
        rows = [torch.cat([act.rows[dim][1] for act in acts]) for acts in (one[1], two[1])]
        places = order(two[0]) if order is not None else matching(samples_of(one[0]), samples_of(two[0]))
        if places is not None and len(places) == len(rows[0]) == len(rows[1]):
            return rows[0], rows[1][places]
    whole = [act.rows[-1] for act in (*one[1], *two[1])]
    return (whole[0][1], whole[1][1]) if len(whole) == 2 and whole[0][0] == whole[1][0] else None


def _masks(other: Sequence[Recording], step: int) -> Iterator[Distance]:
    """Ranks that compute with different samples must not drop the same positions."""
    drawn = [[mask for call in one.steps[step].calls for mask in call.masks] for one in other]
    samples = [{sample for call in one.steps[step].calls for sample in call.samples} for one in other]
    for rank in range(1, len(other)):
        if drawn[0] and not samples[0] & samples[rank]:
            alike = [name for (name, mask), two in zip(drawn[0], drawn[rank], strict=False) if (name, mask) == two]
            one = Distance(step + 1, "dropout", alike[0] if alike else drawn[0][0][0], "Dropout", rank=rank)
            one.reason = f"ranks 0 and {rank} draw the same mask for different samples" if alike else ""
            yield one


def _params(
    reference: Sequence[Recording], other: Sequence[Recording], step: int, stage: str, attribute: str
) -> Iterator[Distance]:
    one = getattr(reference[0].steps[step], attribute)
    others: list[dict[str, Tensor]] = [getattr(run.steps[step], attribute) for run in other]
    if stage == "gradient before clipping" and not (one and all(others)):
        return
    weights = reference[0].steps[step].weights
    for name in dict.fromkeys([*one, *(name for values in others for name in values)]):
        found = Distance(step + 1, stage, name)
        known = [values[name] for values in (one, *others) if name in values]
        if stage in ("weights before", "buffer") and (name not in one or not all(name in v for v in others)):
            found.reason = f"only {'the reference' if name in one else 'the other run'} has it"
        elif len({value.shape for value in known}) > 1:
            found.reason = "it has another shape in the other run"
        else:
            nothing = torch.zeros_like(known[0])  # a gradient that did not come
            found.scale = float(weights[name].norm()) if stage == "update" and name in weights else 0.0
            found = _between(found, one.get(name, nothing), [values.get(name, nothing) for values in others])
        yield found


def _numbers(
    reference: Sequence[Recording], other: Sequence[Recording], step: int, stage: str, attribute: str
) -> Iterator[Distance]:
    one, *others = (
        torch.tensor(getattr(run.steps[step], attribute), dtype=torch.float64) for run in (reference[0], *other)
    )
    found = Distance(step + 1, stage, "all parameters")
    if any(value.shape != one.shape for value in others):
        num = next(len(value) for value in others if value.shape != one.shape)
        found.reason = f"the reference has {len(one)} of it in a step, the other run {num}"
        yield found
    elif len(one):
        yield _between(found, one, others)


def _between(found: Distance, reference: Tensor, others: list[Tensor]) -> Distance:
    apart = [float((value - reference).norm()) for value in others]
    apart = [float("inf") if value != value else value for value in apart]
    found.rank = max(range(len(others)), key=lambda at: apart[at])
    found.difference, found.norm = apart[found.rank], float(reference.norm())
    found.reference, found.by_rank = reference, others
    return found
