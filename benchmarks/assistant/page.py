"""The page of results. No figure on it is written by hand."""

from collections.abc import Sequence

from benchmarks.assistant.client import Outcome

_HEAD = """\
# What an assistant learns from surefoot

Written by `make bench-assistant`. A scripted client of [`surefoot mcp`](guide/coding-assistants.md) fixes buggy
programs of the [bug corpus](bug-corpus.md) by its answers alone: it asks `run` and `fix`, applies the diffs with
`patch`, and asks `run` again. It never reads a program; the comments that mark the bugs are taken out before. Of the
{all} buggy programs that need nothing but torch it takes each {every}th in the order of their names, regardless of the
result.

Rules and patches were written with these programs at hand: read the shares as a test that they have to pass, not as an
estimate for programs they have never met.

| of {num} programs | |
|---|---|
"""


def page(outcomes: Sequence[Outcome], num_all: int, every: int) -> str:
    lines = [
        ("the file is right", sum(each.is_file_right for each in outcomes)),
        ("the line is one of those marked as guilty", sum(each.is_line_right for each in outcomes)),
        ("the cause is named rightly", sum(each.is_cause_right for each in outcomes)),
        ("there is a proven patch, and it applies", sum(each.patch == "proven" for each in outcomes)),
        ("with the patches no finding above a note is left", sum(each.is_gone for each in outcomes)),
    ]
    head = _HEAD.format(all=num_all, every=every, num=len(outcomes))
    rows = [f"| {name} | {num} |" for name, num in lines]
    largest = max(each.largest_answer for each in outcomes)
    rows.append(f"| the largest answer | {largest:,} bytes |")
    table = ["", "## Program by program\n", "| program | reported | line | patch |", "|---|---|---|---|"]
    table += [f"| {_cells(each)} |" for each in outcomes]
    return head + "\n".join([*rows, *table]) + "\n"


def _cells(each: Outcome) -> str:
    patch = ("fixes it" if each.is_gone else "leaves findings") if each.patch == "proven" else each.patch
    return " | ".join([each.name, each.told, "right" if each.is_line_right else "another", patch])
