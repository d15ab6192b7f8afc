"""`surefoot replay RUN`: judge a stored run again, with today's rules."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from surefoot.cli.choice import add_choice_options, choose_rules
from surefoot.cli.stored import RUN_HELP, add_log_option, load
from surefoot.cli.telling import add_telling_options, check_writable, tell
from surefoot.cli.usage import UsageError
from surefoot.cli.voice import Voice
from surefoot.facts import EndFacts, StepFacts
from surefoot.judge import Judge, unwatched
from surefoot.report import Report, merge
from surefoot.rules import Rule
from surefoot.runlog import RunLogError, StoredProcess


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    run = load(options.run, options.log)
    rules = choose_rules(options, Path.cwd())
    check_writable(options.report)
    voice = Voice()
    try:
        report = merge(_judge(process, rules, voice) for process in run)
    except RunLogError as error:
        raise UsageError(str(error)) from None
    return tell(report, options, voice)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="surefoot replay", description="Judge a stored run again, with today's rules.", allow_abbrev=False
    )
    parser.add_argument("run", metavar="RUN", help=RUN_HELP)
    add_log_option(parser)
    add_telling_options(parser)
    add_choice_options(parser)
    return parser


def _judge(process: StoredProcess, rules: dict[str, Rule], voice: Voice) -> Report:
    judge = Judge(rules.values(), lambda rule, error: voice.say(f"rule {rule} failed: {error!r}"))
    records = list(process.records())
    off = {name: why for record in records if isinstance(record, EndFacts) for name, why in record.probes_off}
    judge.not_checked.update(unwatched(rules.values(), off, process.meta.get("probes", "").split(",")))
    steps = 0
    for record in records:
        judge.judge(record)
        if isinstance(record, StepFacts):
            steps = record.index
        elif isinstance(record, EndFacts):
            steps = record.num_steps
    return Report(process.meta.get("script", ""), steps, judge.findings, judge.not_checked, len(rules))
