"""A verdict for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from surefoot.verify.child.perturb import ROUNDINGS
from surefoot.verify.distance import STAGES
from surefoot.verify.tolerance import MARGIN, SEEDS
from surefoot.verify.verdict import Compared, Verdict

WIDTH = 110
MOST_LEFT_OUT = 6
HEADERS = ("quantity", "compared", "beyond", "farthest", "difference", "tolerance")
PLURALS = {
    "activation": "activations", "gradient": "gradients", "gradient before clipping": "gradients before clipping",
    "update": "updates", "buffer": "buffers", "rate": "learning rates", "dropout": "dropout masks",
}  # fmt: skip


def text(verdict: Verdict) -> str:
    parts = [*_tables(verdict), _filled(answer(verdict)), *_notes(verdict)]
    return "\n".join(parts) + "\n"


def table(verdict: Verdict) -> dict[str, Any]:
    """The same as data: a row for each step and quantity, in the words of the columns."""
    rows = [
        {"step": step, **dict(zip(HEADERS, row, strict=True))}
        for step in range(1, _last_step(verdict) + 1)
        for stage in STAGES
        if (row := _row(verdict, step, stage))
    ]
    return {"agrees": verdict.agrees, "rows": rows, "not_compared": verdict.left_out}


def _tables(verdict: Verdict) -> Iterator[str]:
    """Of each step up to the one that differs first: what comes later follows from it."""
    for step in range(1, _last_step(verdict) + 1):
        rows = [row for stage in STAGES if (row := _row(verdict, step, stage))]
        widths = [max(len(row[i]) for row in (HEADERS, *rows)) for i in range(len(HEADERS))]
        lines = [_line((f"step {step}", *HEADERS[1:]), widths), *(_line(row, widths) for row in rows)]
        yield "\n".join(lines) + "\n"


def _last_step(verdict: Verdict) -> int:
    return verdict.first.distance.step if verdict.first else verdict.steps


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    padded = [
        cell.rjust(w) if i not in (0, 3) else cell.ljust(w)
        for i, (cell, w) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()


def _row(verdict: Verdict, step: int, stage: str) -> tuple[str, ...] | None:
    found = [one for one in verdict.compared if (one.distance.step, one.distance.stage) == (step, stage)]
    if not found:
        return None
    worst = max(found, key=lambda one: one.share)
    num_beyond = sum(one.is_beyond for one in found)
    numbers = ("", "", "") if not worst.share else (_name(worst), *_relative(worst))
    return PLURALS.get(stage, stage), str(len(found)), str(num_beyond) if num_beyond else "-", *numbers


def _relative(one: Compared) -> tuple[str, str]:
    if one.distance.reason:
        return "", ""
    scale = one.distance.norm or 1.0
    return f"{one.distance.difference / scale:.2g}", f"{one.tolerance / scale:.2g}"


def _name(one: Compared) -> str:
    kind = f" ({one.distance.kind})" if one.distance.kind else ""
    return f"{one.distance.name}{kind}"


def answer(verdict: Verdict) -> str:
    if verdict.first is None:
        steps = "step" if verdict.steps == 1 else f"{verdict.steps} steps"
        return f"The runs agree: all {len(verdict.compared)} quantities of the {steps} are within their tolerances."
    one = verdict.first.distance
    message = [f"The runs differ first at step {one.step}: {one.stage} of {_name(verdict.first)}."]
    if one.reason:
        message.append(f"{one.reason[0].upper()}{one.reason[1:]}.")
    elif one.reference is not None:
        message.append(_numbers(verdict))
    return " ".join(filter(None, [*message, verdict.likely]))


def _numbers(verdict: Verdict) -> str:
    assert verdict.first is not None
    one = verdict.first.distance
    assert one.reference is not None
    values = one.reference, one.by_rank[one.rank]
    is_number = one.reference.numel() == 1
    mine, theirs = (float(value) if is_number else float(value.norm()) for value in values)
    what = "It is" if is_number else "Its norm is"
    rank = f" on rank {one.rank}" if len(one.by_rank) > 1 else ""
    away, tolerance = _relative(verdict.first)
    return (
        f"{what} {mine:.6g} in the reference and {theirs:.6g}{rank} in the other run: "
        f"a {'relative ' if one.norm else ''}difference of {away}, where rounding allows {tolerance}."
    )


def _notes(verdict: Verdict) -> Iterator[str]:
    yield _filled(
        f"Tolerances are {MARGIN:g} times the farthest that the reference moves in {len(SEEDS)} runs that perturb "
        f"outputs of modules and their gradients by {ROUNDINGS} roundings (±{ROUNDINGS * verdict.unit:.1e}). "
        "Differences and tolerances are relative to the norm. Dropout is off in all runs."
    )
    other = verdict.nondeterminism
    if other is not None:
        norm = other.norm or 1.0
        what = other.reason or f"by {other.difference / norm:.2g} of its norm"
        yield _filled(
            f"Two equal runs of the reference differ, first at step {other.step} in {other.stage} of {other.name}: "
            f"{what}. Tolerances include that."
        )
    for reason in verdict.left_out[:MOST_LEFT_OUT]:
        yield _filled(f"Not compared: {reason}.")
    if len(verdict.left_out) > MOST_LEFT_OUT:
        yield f"Not compared: {len(verdict.left_out) - MOST_LEFT_OUT} more (see --json)."


def _filled(words: str) -> str:
    return textwrap.fill(words, WIDTH, break_on_hyphens=False, break_long_words=False)
