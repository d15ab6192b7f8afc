"""The page of results. No figure on it is written by hand."""

from collections.abc import Iterator, Sequence

from benchmarks.fix.outcome import Outcome

_HEAD = """\
# What `surefoot fix` mends

Written by `make bench-fix`: every buggy program of the [bug corpus](bug-corpus.md), fixed with no help. Patches were
written with these programs at hand: read the shares as a test that they have to pass, not as an estimate for programs
they have never met. `make bench-fix ARGS=--twins` adds the Bad twins of the rules.

*Patched*: there is a proven patch. *Mended*: every finding above a note is gone. *Like its twin*: the final loss of the
patched program is that of the clean twin (within 0.1 %), or within the spread of the clean twin over five seeds.
"""


def page(outcomes: Sequence[Outcome]) -> str:
    corpus = [each for each in outcomes if not each.name.startswith("twin/")]
    twins = [each for each in outcomes if each.name.startswith("twin/")]
    parts = [_HEAD, "| programs | all | patched | mended | like its twin, of those patched |", "|---|---|---|---|---|"]
    parts += [_row("bug corpus", corpus), *([_row("twins of the rules", twins)] if twins else [])]
    parts += [
        "",
        "## Rule by rule, on the bug corpus\n",
        "| rule | programs | patched | like its twin |",
        "|---|---|---|---|",
    ]
    parts += list(_by_rule(corpus))
    parts += ["", "## Patched, but trains differently from its twin\n", *_different(outcomes)]
    parts += ["", "## Not patched\n", *_not_patched(outcomes)]
    return "\n".join(parts) + "\n"


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    patched = [each for each in outcomes if each.rules]
    like = sum(each.trains_like_twin for each in patched)
    mended = sum(each.is_mended for each in outcomes)
    cells = [
        len(outcomes),
        _share(len(patched), len(outcomes)),
        _share(mended, len(outcomes)),
        _share(like, len(patched)),
    ]
    return f"| {name} | " + " | ".join(map(str, cells)) + " |"


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.0f} %)" if whole else "0"


def _by_rule(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for rule in sorted({each.rule for each in outcomes}):
        mine = [each for each in outcomes if each.rule == rule]
        patched = [each for each in mine if each.rules]
        yield f"| {rule} | {len(mine)} | {len(patched)} | {sum(each.trains_like_twin for each in patched)} |"


def _different(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for each in outcomes:
        if each.rules and not each.trains_like_twin:
            spread = "" if each.spread is None else f" (its seeds: {_loss(each.spread[0])} to {_loss(each.spread[1])})"
            losses = f"final loss {_loss(each.loss_after)}, that of the clean twin {_loss(each.loss_of_twin)}{spread}"
            yield f"- `{each.name}`: {losses}"


def _loss(loss: float | None) -> str:
    return "not seen" if loss is None else f"{loss:.4g}"


def _not_patched(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for each in outcomes:
        if not each.rules:
            yield f"- `{each.name}`: {'; '.join(each.reasons) or 'nothing above a note was found'}"
