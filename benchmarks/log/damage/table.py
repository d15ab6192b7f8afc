"""What a campaign found, as a page shows it."""

from collections.abc import Sequence

from benchmarks.log.damage.readers import READERS, SUBSETS
from benchmarks.log.damage.verdict import Verdict
from benchmarks.log.page import table

KINDS = """\
Bits are flipped, bytes overwritten, cut out, repeated and reordered, files cut short, removed and swapped, pages
zeroed and swapped, in databases, `-wal` files, tails, segments, media, `.id` files and edits. Parts of the files of
a run that was written alike, with other numbers, are put in the place of parts of the run's own (*splice*), whole
files in the place of files (*replace*), and files beside them (*add*). *Several* are two or four of these. Files of
edits are not removed, which takes an edit back; nor is all that tells which run it is replaced, which makes it
another one."""
RUNS = """of small runs: one finished, with segments; one killed; one of two ranks, finished, and one killed;
one whose writer is alive; one with media, settings and a result; one of version 0.1, which has no checksums, so that
only raw exceptions are counted"""
TEXT = """## Damages

{num} random damages of the files {runs}.
Each is read by {readers} readers: {names}.

{kinds}
Every answer is compared with that of the undamaged run.

*Wrong in silence*: an answer that differs, and nothing said. *Wrong number*: a row that the undamaged run does not
have, whatever was said; looked for in the answers of {subsets}.
*Raw exception*: one that is neither a RunLogError nor a KeyError from Python, or a traceback or the name of an
exception from a command, or an answer of the dashboard with status 500. *Harmless*: all answers were as before. The
whole proof has 2,000 damages.

{table}
"""
FURTHER = """## Damages by other runs

{num} further damages, of more kinds than above, of the files {runs}.
Each is read by {readers} readers.

{kinds}

The first tries found what had to be mended: pages of another rank and blocks of another run's tail were believed, an
older copy of a file, and a rank of another run; damaged runs of version 0.1 raised something raw. The table is of a run
after that.

{table}
"""


def further_text(verdicts: Sequence[Verdict]) -> str:
    return _text(FURTHER, verdicts)


def damage_text(verdicts: Sequence[Verdict]) -> str:
    return _text(TEXT, verdicts)


def _text(template: str, verdicts: Sequence[Verdict]) -> str:
    kinds = sorted({_kind(verdict) for verdict in verdicts})
    rows = [_row(kind, [one for one in verdicts if _kind(one) == kind]) for kind in kinds]
    rows.append(_row("**all**", verdicts))
    head = ["damage", "times", "harmless", "wrong in silence", "wrong number", "raw exception"]
    subsets = ", ".join(sorted(SUBSETS))
    return template.format(
        num=f"{len(verdicts):,}",
        runs=RUNS,
        kinds=KINDS,
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
