"""The program by itself: what it prints, and what torch warns about."""

import re
from pathlib import Path

from benchmarks.bugs.process import Outcome
from benchmarks.bugs.program import Program
from benchmarks.bugs.verdict import Remark, Verdict

_WARNING = re.compile(r"^(?P<file>.+?):(?P<line>\d+): \w*Warning: (?P<text>.*)$", re.MULTILINE)

# What a warning of torch amounts to, read generously.
_MEANING = {
    "`lr_scheduler.step()` before": {"scheduler-before-optimizer", "scheduler-drives-other-optimizer"},
    "Using a target size": {"loss-shape-broadcast"},
    "None of the inputs have requires_grad": {"checkpoint-drops-gradients"},
    "empty generator": {"clip-without-gradients"},
    "no gradient": {"clip-without-gradients"},
    "create_graph=True": {"create-graph-left-on"},
    "Converting a tensor with requires_grad=True to a scalar": {"graph-kept-alive"},
    "batchmean": {"kl-input-not-log"},
    "non-leaf": {"optimizer-holds-stale-parameters"},
}


def torch_warnings(program: Program, plain: Outcome) -> Verdict:
    remarks: dict[str, Remark] = {}
    for match in _WARNING.finditer(plain.stderr):
        names = next((names for part, names in _MEANING.items() if part in match["text"]), set())
        in_program = Path(match["file"]).name == program.path.name
        remark = Remark(frozenset(names), match["text"][:60], int(match["line"]) if in_program else None)
        remarks.setdefault(remark.label, remark)
    return Verdict(program, tuple(remarks.values()))
