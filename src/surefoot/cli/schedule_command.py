"""`surefoot schedule`: the curve of a schedule, before training."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from surefoot.cli.parsing import did_you_mean, number, parser_of, positive
from surefoot.cli.target import add_output_options, load_target, refusals_shown, write_output
from surefoot.cli.usage import UsageError

_EXAMPLES = """\
  surefoot schedule 'warmup_cosine(optimizer, warmup=100, updates=2000)' --lr 0.001
  surefoot schedule 'OneCycleLR(optimizer, max_lr=0.1, total_steps=500)' --updates 600
  surefoot schedule train:make_scheduler --updates 5000 --format svg -o schedule.svg
  surefoot schedule train.py:make_loop --format csv

In an expression, the schedulers of torch and of sf.schedule are known by name, and `optimizer` has the rate --lr.
A function takes an optimizer and returns a scheduler, or takes nothing and returns a scheduler or an sf.Loop.
"""
_NAMED = re.compile(r"[\w./\\:-]+:[A-Za-z_][\w.]*")


def main(argv: Sequence[str]) -> int:
    parser = parser_of("schedule", "Show the rate of every update of a schedule, without training.", _EXAMPLES)
    parser.add_argument("schedule", metavar="MODULE:FACTORY | EXPRESSION")
    parser.add_argument(
        "--updates", type=positive, metavar="N", help="planned updates (default: the schedule's length)"
    )
    parser.add_argument("--lr", type=number(), default=1.0, help="the optimizer's rate (default: 1)")
    add_output_options(parser, ("text", "csv", "json", "svg"))
    options = parser.parse_args(argv)
    from surefoot.lab.preview import preview

    with refusals_shown():
        found = preview(_named_or_evaluated(options.schedule), options.updates, lr=options.lr)
    text = {"text": found.plot, "csv": found.csv, "json": found.json, "svg": found.svg}[options.format]()
    write_output(text, options.output)
    return 0


def _named_or_evaluated(given: str) -> Any:
    if _NAMED.fullmatch(given):
        from surefoot.lab.preview import scheduler_in

        return scheduler_in(load_target(given))
    return lambda optimizer: _evaluate(given, optimizer)


def _evaluate(expression: str, optimizer: Any) -> Any:
    """It is the caller's own Python, as with `python -c`."""
    import inspect
    import math

    import torch
    from torch.optim import lr_scheduler

    import surefoot
    from surefoot.lab import schedule

    names: dict[str, Any] = {name: getattr(lr_scheduler, name) for name in lr_scheduler.__all__}
    names |= {name: getattr(schedule, name) for name in schedule.__all__}
    names |= {"torch": torch, "math": math, "lr_scheduler": lr_scheduler, "sf": surefoot, "optimizer": optimizer}
    try:
        return eval(expression, names)
    except NameError as error:
        ours = [name for name in schedule.__all__ if "optimizer" in inspect.signature(names[name]).parameters]
        known = f" There are {', '.join(ours)} and those of torch.optim.lr_scheduler."
        near = did_you_mean(str(error.name), names)
        raise UsageError(f"there is no schedule {error.name}.{near or known}") from None
    except Exception as error:
        raise UsageError(f"{expression!r} can't be evaluated: {type(error).__name__}: {error}") from None
