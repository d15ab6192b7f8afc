"""docs/verify-corpus.md, from what was measured."""

from collections.abc import Sequence

from benchmarks.verify.pairs import Pair
from surefoot.verify.verdict import Verdict

HEAD = """\
# Pairs of runs that `surefoot verify` must distinguish

Written by `make bench-verify`. Each pair is a small program and a second way to run it, on up to four gloo ranks, for
three steps; `benchmarks/verify/` has them. Defects must be named with the quantity, the module or parameter, and the
step; runs that compute the same must agree. All run in forks of one process, which differs from `surefoot verify` only
in how they start. Tolerances were settled on these pairs (`docs/decisions/0120`), so they are no blind test of them.
"""


def page(verdicts: Sequence[tuple[Pair, Verdict]]) -> str:
    defects = [(pair, verdict) for pair, verdict in verdicts if pair.is_defect]
    agreeing = [(pair, verdict) for pair, verdict in verdicts if not pair.is_defect]
    lines = [HEAD, f"## {len(defects)} defects, all named", ""]
    lines += ["| program | defect | differs first in | message |", "|---|---|---|---|"]
    lines += [_defect(pair, verdict) for pair, verdict in defects]
    lines += ["", f"## {len(agreeing)} pairs that agree, none accused", ""]
    lines += ["| program | second run | quantities compared | farthest, of its tolerance |", "|---|---|---|---|"]
    lines += [
        f"| {pair.program} | {pair.name} | {len(verdict.compared)} | {max(one.share for one in verdict.compared):.0%} |"
        for pair, verdict in agreeing
    ]
    return "\n".join(lines) + "\n"


def _defect(pair: Pair, verdict: Verdict) -> str:
    assert verdict.first is not None
    first = verdict.first.distance
    place = f"step {first.step}, {first.stage} of `{first.name}`"
    reason = f"{first.reason[:1].upper()}{first.reason[1:]}. " if first.reason else ""
    return f"| {pair.program} | {pair.name} | {place} | {reason}{verdict.likely} |"
