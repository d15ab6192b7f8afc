"""The section of the page, from one run."""

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.conformance.further.row import Mark, Outcome, Row

TITLE = "## Further rows"
_HEAD = f"""\
{TITLE}

Written by `python -m benchmarks.conformance.further`, on surefoot alone: the other loops were not run on these rows.
Micro-batches have 7, 5, 3 and 1 samples, and the right answer is the update of one batch of 16, compared to rounding.
*Refused* means that an error says what to do instead, before a weight is changed by the wrong number. Where
micro-batches can't give what one batch would, nothing else is right. An asterisk marks rows that test what only
surefoot offers, so that other loops could not fail in them.
"""
_RIGHT = {Mark.RIGHT: "the update of one batch", Mark.REFUSED: "none: refuse it", Mark.TOLD: "go on, and say so"}


def section(parts: Mapping[str, Sequence[tuple[Row, Outcome]]]) -> str:
    every = [pair for part in parts.values() for pair in part]
    wrong = [row for row, found in every if not found.is_right(row)]
    lines = [_HEAD, f"Of {len(every)} rows surefoot is wrong in {len(wrong)}.", ""]
    for title, part in parts.items():
        lines += [f"### {title}", "", *_table(part), ""]
    return "\n".join(lines).rstrip() + "\n"


def _table(part: Sequence[tuple[Row, Outcome]]) -> Iterable[str]:
    yield "| case | right answer | surefoot |"
    yield "|---|---|---|"
    for row, found in part:
        mark = f"**{found.mark}**" if found.is_right(row) else f"*{found.mark}*: {found.said}"
        star = " \\*" if row.is_own else ""
        yield f"| {row.title}{star} | {_RIGHT[row.right]} | {mark} |"


def replace_section(page: str, new: str) -> str:
    """The one that the page has, or at its end."""
    return page.partition(f"\n{TITLE}\n")[0].rstrip() + "\n\n" + new
