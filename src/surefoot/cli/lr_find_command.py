"""`surefoot lr-find`: a learning-rate range test on a program's own loop."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.cli.parsing import number, parser_of, positive, whole_number
from surefoot.cli.target import TARGET_HELP, add_output_options, load_target, refusals_shown, write_output

_EXAMPLES = """\
  surefoot lr-find train:make_loop
  surefoot lr-find train.py:make_loop --low 1e-5 --high 1 --updates 200
  surefoot lr-find train:make_loop --format svg -o rates.svg

The function takes nothing and returns (loop, loader, loss_fn): an sf.Loop, what it trains on, and the loss as for
loop.fit. What follows these three in the tuple is left alone.
"""


def main(argv: Sequence[str]) -> int:
    parser = parser_of(
        "lr-find", "Find a learning rate: a range test, and the largest rate that does not diverge.", _EXAMPLES
    )
    parser.add_argument("target", metavar="MODULE:FUNCTION", help=TARGET_HELP)
    parser.add_argument("--low", type=number(), default=1e-7, help="the first rate (default: 1e-7)")
    parser.add_argument("--high", type=number(), default=10.0, help="the last rate (default: 10)")
    parser.add_argument("--updates", type=positive, default=100, metavar="N", help="of the range test (default: 100)")
    parser.add_argument(
        "--bound-updates", type=whole_number(0), default=40, metavar="N",
        help="at each rate, to find the largest that does not diverge; 0: skip this (default: 40)",
    )  # fmt: skip
    parser.add_argument(
        "--seed",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="for the initial weights and the order of the data (default: 0)",
    )
    add_output_options(parser, ("text", "json", "svg"))
    options = parser.parse_args(argv)
    make = load_target(options.target)
    from surefoot.lab.ablate.training import seed_all
    from surefoot.lab.lr.find import lr_find
    from surefoot.lab.making import made_by

    with refusals_shown():
        seed_all(options.seed)
        loop, loader, loss_fn = made_by(make)[:3]
        found = lr_find(
            loop, loader, loss_fn, low=options.low, high=options.high, updates=options.updates,
            bound_updates=options.bound_updates,
        )  # fmt: skip
    text = {"text": found.plot, "json": found.json, "svg": found.svg}[options.format]()
    write_output(text, options.output)
    return 0 if found.suggestion is not None else 1
