"""`surefoot replay RUN`: re-evaluate a stored run with the current rules."""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from surefoot.cli.alerting import ON_HELP, add_on_option, wanted
from surefoot.cli.choice import add_choice_options, choose_rules
from surefoot.cli.next_commands import after_replay
from surefoot.cli.parsing import parser_of
from surefoot.cli.rehearsing import report_alerts
from surefoot.cli.reporting import add_telling_options, check_writable, tell
from surefoot.cli.stored import RUN_HELP, add_log_option, load, report_problems
from surefoot.cli.usage import UsageError
from surefoot.cli.voice import Voice
from surefoot.facts import EndFacts, StepFacts
from surefoot.judge import Judge, unwatched
from surefoot.report import Report, add_up, judge_together, merge
from surefoot.rules import Rule
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.process import StoredProcess
from surefoot.runlog.read.result import read_result
from surefoot.runlog.read.run import Run

_EXAMPLES = """\
  surefoot replay latest                                           the newest run
  surefoot replay latest --alert-dry-run --alert-on 'zscore(loss, 50) > 4' --alert-on error
                                                                   when such alerts would have been sent
"""


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    run = load(options.run, options.log)
    _check_is_training(run)
    rules = choose_rules(options, Path.cwd())
    check_writable(options.report)
    voice = Voice()
    if options.alert_on and not options.alert_dry_run:
        raise UsageError("--alert-on needs --alert-dry-run: a stored run sends no alerts.")
    rehearsed = wanted(options.alert_on) if options.alert_dry_run else None
    try:
        if rehearsed is not None:
            report_alerts(run.first, rehearsed, judge_process(run.first, rules, voice).findings, voice)
        else:
            report = _join(run, rules, voice)
    except RunLogError as error:
        raise UsageError(str(error)) from None
    report_problems([problem for process in run for problem in process.problems])
    if rehearsed is not None:
        return 0
    return tell(report, options, voice, commands=after_replay(options.run, options.log), is_replayed=True)


def _check_is_training(run: Run) -> None:
    result = read_result(run)
    if result is not None:
        raise UsageError(
            f"{run.name} holds the result of `surefoot {result['of']}`, without steps to evaluate. "
            "Name a training run; `surefoot runs` lists them."
        )


def _parser() -> argparse.ArgumentParser:
    parser = parser_of("replay", "Re-evaluate a stored run with the current rules.", _EXAMPLES)
    parser.add_argument("run", metavar="RUN", help=RUN_HELP)
    add_log_option(parser)
    add_telling_options(parser)
    add_choice_options(parser)
    parser.add_argument(
        "--alert-dry-run", action="store_true", help="show when alerts would have been sent, without sending any"
    )
    add_on_option(parser, f"of --alert-dry-run: {ON_HELP} (default: error)")
    return parser


def _join(run: Iterable[StoredProcess], rules: dict[str, Rule], voice: Voice) -> Report:
    """Ranks step together; the steps of other child processes are added, as when the run ended."""
    judged = [(process, judge_process(process, rules, voice)) for process in run]
    ranks = [report for process, report in judged if process.rank is not None or report.notes]
    apart = [report for process, report in judged if process.rank is None and not report.notes]
    if not ranks:
        return add_up(apart)
    together = judge_together(merge(ranks), rules.values(), lambda rule, error: _say_failed(voice, rule, error))
    return add_up([together, *apart])


def judge_process(process: StoredProcess, rules: dict[str, Rule], voice: Voice) -> Report:
    judge = Judge(rules.values(), lambda rule, error: _say_failed(voice, rule, error))
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
    notes = [record.note for record in records if isinstance(record, StepFacts) and record.note is not None]
    return Report(process.meta.get("script", ""), steps, judge.findings, judge.not_checked, len(rules), notes)


def _say_failed(voice: Voice, rule: str, error: Exception) -> None:
    voice.say(f"rule {rule} failed: {error!r}")
