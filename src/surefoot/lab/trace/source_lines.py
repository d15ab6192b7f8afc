"""The lines of the program that a trace names, as they were when it ran: the page shows them beside its stages."""

import linecache

from surefoot.facts import Site
from surefoot.lab.trace.stage import Line, Trace
from surefoot.runlog.secret_text import masked_text

LONGEST = 160


def source_of(trace: Trace) -> tuple[Line, ...]:
    sites: list[Site | None] = [stage.site for stage in trace.stages]
    for epoch in trace.epochs:
        sites += [curve.site for curve in epoch.losses]
        sites += [loss.site for loss in epoch.held_out]
        sites += [accuracy.site for accuracy in epoch.accuracies]
    found = []
    for file, number in sorted({(site.file, site.line) for site in sites if site is not None}):
        text = masked_text(linecache.getline(file, number).strip())
        if text:
            found.append(Line(file, number, text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"))
    return tuple(found)
