"""`surefoot gradcheck`: custom gradients against finite differences."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from surefoot.cli.parsing import parser_of
from surefoot.cli.target import add_output_options, load_target, refusals_shown, unloadable_shown, write_output
from surefoot.cli.usage import USAGE_STATUS, UsageError
from surefoot.facts.json_text import json_text

if TYPE_CHECKING:
    from surefoot.lab.gradcheck.check import Checked

_EXAMPLES = """\
  surefoot gradcheck ops                               all custom autograd functions that the module defines
  surefoot gradcheck ops.py:Cube                       one of them
  surefoot gradcheck ops:attention --inputs 2x3,2x3,=0.5    a function of tensors, and a number

Inputs are shapes (3x4, 4, () for a single number) and Python values after =. Without --inputs they are what a function
`inputs()` beside it returns, a tuple or a dict of tuples by name, or 3x4 for each argument.
Exit status: 0 if all gradients are right, 1 if one is wrong, 2 if nothing could be checked.
"""


def main(argv: Sequence[str]) -> int:
    parser = parser_of(
        "gradcheck", "Check custom autograd functions by finite differences, also of second order.", _EXAMPLES
    )
    parser.add_argument("target", metavar="MODULE[:FUNCTION]")
    parser.add_argument("--inputs", metavar="SHAPES", help="of the function's arguments, such as 3x4,4")
    add_output_options(parser, ("text", "json"))
    options = parser.parse_args(argv)
    with refusals_shown():
        found = _check_all(options.target, options.inputs)
    if options.format == "json":
        write_output(json_text(found, indent=1) + "\n", options.output)
    else:
        write_output("".join(f"{line}\n" for checked in found for line in _describe(checked)), options.output)
    if any(checked.verdict == "wrong" for checked in found):
        return 1
    return 0 if any(checked.verdict == "right" for checked in found) else USAGE_STATUS


def _check_all(target: str, inputs: str | None) -> list[Checked]:
    from surefoot.lab.gradcheck.argument import arguments_for
    from surefoot.lab.gradcheck.check import Checked, check

    functions = _functions(target)
    found = []
    for function in functions:
        try:
            args, how = arguments_for(function, sys.modules.get(function.__module__), inputs)
        except ValueError as error:
            if len(functions) == 1:
                raise
            found.append(Checked(function.__name__, "unchecked", notes=(str(error),)))
            continue
        checked = check(function, args)
        if checked.verdict == "unchecked" and how == "guessed":
            hint = "its inputs were guessed, 3x4 each: set others with --inputs or a function inputs() in its module"
            checked = Checked(checked.function, "unchecked", notes=(*checked.notes, hint))
        found.append(checked)
    return found


def _functions(target: str) -> list[Any]:
    from surefoot.lab.gradcheck.argument import is_custom_function
    from surefoot.lab.named import load_module

    if ":" in target.replace(":\\", "").replace(":/", ""):  # a drive's colon is none
        function = load_target(target)
        if not callable(function):
            raise UsageError(f"{target} is a {type(function).__name__}, not a function.")
        return [function]
    with unloadable_shown():
        module = load_module(target)
    found = [v for v in vars(module).values() if is_custom_function(v) and v.__module__ == module.__name__]
    if not found:
        raise UsageError(f"{target} defines no torch.autograd.Function. Name a function: {target}:NAME.")
    return found


def _describe(checked: Checked) -> list[str]:
    from surefoot.lab.gradcheck.check import ORDERS

    lines = [f"{checked.function}: {checked.verdict}"]
    for one in checked.inputs:
        what = f"  {one.name}, {ORDERS[one.order]} order:"
        if one.num_wrong:
            lines.append(
                f"{what} wrong in {one.num_wrong} of {one.num_compared} elements; at worst {one.analytic:.6g} where "
                f"finite differences give {one.numeric:.6g}, a relative error of {one.relative_error:.2g}"
            )
        else:
            lines.append(f"{what} right in {one.num_compared} elements")
    return [*lines, *(f"  {note}" for note in checked.notes)]
