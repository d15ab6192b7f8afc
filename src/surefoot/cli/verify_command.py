"""`surefoot verify`: compares two ways to run a training."""

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from surefoot.cli.keeping import add_keeping_options, report_stored, result_run
from surefoot.cli.parsing import CommandParser, number, positive, whole_number
from surefoot.cli.reporting import check_writable
from surefoot.cli.usage import INTERRUPTED_STATUS, UsageError
from surefoot.cli.voice import Voice
from surefoot.launch.workspace.workspace import WorkspaceError
from surefoot.runlog.secret import masked
from surefoot.verify.presets import IN_PROCESS, Other, accumulated, in_process, on_ranks
from surefoot.verify.runner import CannotCompareError, running
from surefoot.verify.text import answer, table, text
from surefoot.verify.verdict import Verdict, plain
from surefoot.verify.verifier import verify

_EPILOG = """\
examples:
  surefoot verify -- python train.py -- torchrun --nproc-per-node 4 train.py --batch 8
  surefoot verify --compile train.py --lr 0.1         against the same with its model compiled
  surefoot verify --bf16 train.py                     against its forward under autocast
  surefoot verify --fused train.py                    against fused or foreach optimizers
  surefoot verify --ddp 4 --with '--batch 8' train.py     the same script under torchrun, with these options
  surefoot verify --accumulate 4 --accumulate-option=--accumulate --batch-option=--batch train.py --batch 32

Both commands run for a few steps in copies of the working directory: none of your files is changed. The first is the
reference; it also runs perturbed by rounding, which gives the tolerances. Each step should compute with the same
samples in both. The comparison is stored as a run, which `surefoot dash` shows. Exit status: 0 if they agree, 1 if they
differ, 2 if they can't be compared.
"""
_PRESETS = (*IN_PROCESS, "ddp", "fsdp", "accumulate")


def main(argv: Sequence[str]) -> int:
    parser = _parser()
    head, *commands = _split(argv)
    options = parser.parse_args(head)
    output = None if options.json is None else options.json.absolute()
    check_writable(output)
    commands = [*filter(None, [options.command]), *commands]
    voice = Voice()
    try:
        reference, other = _pair(options, commands)
        kept = result_run(options, "verify", _script(reference), voice)
        verdict = _verify(options, reference, other, voice)
    except (CannotCompareError, WorkspaceError) as error:
        raise UsageError(str(error)) from None
    except KeyboardInterrupt:
        voice.say("interrupted; nothing of the two runs is left running.")
        return INTERRUPTED_STATUS
    voice.write(text(verdict))
    compared = {"reference": masked(reference), "other": masked(other.command), "preset": other.preset}
    if output is not None:
        output.write_text(json.dumps({**compared, **plain(verdict)}, indent=2) + "\n", encoding="utf-8")
    if kept is not None:
        report_stored(kept.write(answer(verdict), {**compared, **table(verdict)}, verdict.status), voice)
    return verdict.status


def _script(command: list[str]) -> str:
    """What the run is named after."""
    return next((word for word in command if word.endswith(".py")), command[0])


def _verify(options: argparse.Namespace, reference: list[str], other: Other, voice: Voice) -> Verdict:
    def say(what: str) -> None:
        if sys.stderr.isatty():
            voice.write(f"\r\x1b[K{what} …")

    with running(options.steps, options.timeout) as runner:
        verdict = verify(runner, reference, other.command, other.preset, other.wrapper, say)
    if sys.stderr.isatty():
        voice.write("\r\x1b[K")
    return verdict


def _split(argv: Sequence[str]) -> list[list[str]]:
    """At each `--`."""
    parts: list[list[str]] = [[]]
    for word in argv:
        if word == "--":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _pair(options: argparse.Namespace, commands: list[list[str]]) -> tuple[list[str], Other]:
    chosen = [name for name in _PRESETS if getattr(options, name)]
    if len(chosen) > 1:
        raise UsageError(f"--{chosen[0]} and --{chosen[1]} are two comparisons: run surefoot verify once for each.")
    wanted = 1 if chosen else 2
    if len(commands) != wanted or not all(commands):
        how = (
            f"`surefoot verify --{chosen[0]} … train.py`"
            if chosen
            else "`surefoot verify -- python a.py -- python b.py`"
        )
        raise UsageError(f"surefoot verify needs {('one command', 'two commands')[wanted - 1]} here: {how}.")
    reference = commands[0]
    other = _derived(chosen[0], options, reference) if chosen else Other(commands[1])
    if options.extra and not chosen:
        raise UsageError("--with is for presets: write its options into the second command.")
    return reference, Other([*other.command, *shlex.split(options.extra or "")], other.preset, other.wrapper)


def _derived(name: str, options: argparse.Namespace, reference: list[str]) -> Other:
    if name in ("ddp", "fsdp"):
        return on_ranks(name, getattr(options, name), reference)
    if name == "accumulate":
        return accumulated(options.accumulate, reference, options.accumulate_option, options.batch_option)
    return in_process(name, reference)


def _parser() -> CommandParser:
    parser = CommandParser(
        prog="surefoot verify",
        usage="surefoot verify [options] -- COMMAND -- COMMAND\n"
        "       surefoot verify [options] PRESET SCRIPT [ARGS ...]",
        description="Compare two ways to run a training that should compute the same.",
        epilog=_EPILOG,
    )
    add = parser.add_argument
    at_least_two = whole_number(2)
    add("--steps", type=positive, default=3, metavar="N", help="optimizer steps to compare (default: 3)")
    add("--json", type=Path, metavar="FILE", help="write everything that was compared to FILE")
    add("--timeout", type=number(0.001, wanted="a number of seconds above 0"), default=300.0, metavar="SECONDS",
        help="for each run (default: 300)")  # fmt: skip
    add("--compile", action="store_true", help="preset: compile the model when its optimizer is made")
    add("--bf16", action="store_true", help="preset: run the model under autocast to bfloat16, its output in float32")
    add("--fused", action="store_true", help="preset: fused optimizers, or foreach where there is no fused one")
    add("--ddp", type=at_least_two, metavar="N", help="preset: torchrun on N ranks; the script wraps its model in DDP")
    add("--fsdp", type=at_least_two, metavar="N", help="preset: torchrun on N ranks; the script calls fully_shard")
    add("--accumulate", type=at_least_two, metavar="K", help="preset: K micro-batches, by the script's own options")
    add("--accumulate-option", metavar="OPTION", help="the script's option for the number of micro-batches")
    add("--batch-option", metavar="OPTION", help="the script's option for the batch size")
    add("--with", dest="extra", metavar="ARGS", help="arguments to add to the preset's command")
    add_keeping_options(parser)
    add("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser
