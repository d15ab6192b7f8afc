"""What a campaign found, as a page shows it."""

from collections.abc import Sequence

from benchmarks.log.damage.readers import READERS, SUBSETS
from benchmarks.log.damage.verdict import Verdict
from benchmarks.log.page import table

TEXT = """## Damages

{num} random damages of the files of three small runs (one finished, with segments; one killed; one of two ranks),
each read by {readers} readers: {names}.

Bits are flipped, bytes overwritten, files cut short, removed and swapped, pages zeroed and swapped, in databases,
`-wal` files, tails, segments, `.id` files and files of edits; *several* are two or four of these. Files of edits are
not removed, which takes an edit back. Every answer is compared with that of the undamaged run.

*Wrong in silence*: an answer that differs, and nothing said. *Wrong number*: a row that the undamaged run does not
have, whatever was said; looked for in the answers of {subsets}.
*Raw exception*: one that is neither a RunLogError nor a KeyError from Python, or a traceback or the name of an
exception from a command, or an answer of the dashboard with status 500. *Harmless*: all answers were as before. The
whole proof has 2,000 damages. When it was first made, two of *several* were wrong in silence: both left nothing of a
run but segments, for which nobody looked. Such a run is named now, and the two were made again. A third only showed
who had written the run; that is no longer compared. What `replay` answered was not compared either, and it did not
speak of damage: it does now, and replayed all 2,000 again.

{table}
"""


def damage_text(verdicts: Sequence[Verdict]) -> str:
    kinds = sorted({_kind(verdict) for verdict in verdicts})
    rows = [_row(kind, [one for one in verdicts if _kind(one) == kind]) for kind in kinds]
    rows.append(_row("**all**", verdicts))
    head = ["damage", "times", "harmless", "wrong in silence", "wrong number", "raw exception"]
    subsets = ", ".join(sorted(SUBSETS))
    return TEXT.format(
        num=f"{len(verdicts):,}",
        readers=len(READERS),
        names=", ".join(READERS),
        subsets=subsets,
        table=table(head, rows),
    )


def damage_failures(verdicts: Sequence[Verdict]) -> list[str]:
    return [
        f"damage {verdict.seed} ({verdict.done}), {name}: {text}"
        for verdict in verdicts
        for name, text in verdict.failed.items()
    ]


def _row(kind: str, verdicts: Sequence[Verdict]) -> list[str]:
    failed = [{text.partition(":")[0] for text in verdict.failed.values()} for verdict in verdicts]
    counts = [sum(what in found for found in failed) for what in ("silent", "wrong number", "raw exception")]
    return [kind, str(len(verdicts)), str(sum(verdict.is_harmless for verdict in verdicts)), *map(str, counts)]


def _kind(verdict: Verdict) -> str:
    return verdict.done.split(": ")[1]
