"""`surefoot run`: the script as it is, watched."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from surefoot.cli.alerting import requested
from surefoot.cli.choice import choose_rules
from surefoot.cli.next_commands import after_run
from surefoot.cli.parsing import DEFAULT_LOG
from surefoot.cli.reporting import check_log, check_writable, tell
from surefoot.cli.run_options import parse
from surefoot.cli.usage import UsageError
from surefoot.cli.voice import Voice
from surefoot.judge import Finding
from surefoot.launch.plan import Plan
from surefoot.launch.program import Program, ProgramError
from surefoot.launch.ranks import Ranks
from surefoot.launch.session import Session
from surefoot.launch.user_code import user_code
from surefoot.report import Report
from surefoot.report.place import relative
from surefoot.runlog.folder import run_folder
from surefoot.runlog.labels import make_labels


def main(argv: Sequence[str]) -> int:
    options, program = parse(argv)
    voice = Voice()
    ranks = Ranks.from_environment()

    def announce(finding: Finding) -> None:
        """One line when it happens; the details at the end."""
        if options.format == "text" and finding.severity != "note" and (ranks is None or ranks.tells):
            where = f" at {relative(finding.file) or finding.file}:{finding.line}" if finding.file else ""
            voice.say(f"{finding.severity}[{finding.rule}]{where}, step {finding.step}")

    def report_all(report: Report) -> int:
        return tell(report, options, voice, plan.log, commands=after_run(program, options, report, ranks))

    try:
        program.check()
        plan = _plan(options, program, ranks)
        session = Session(program, plan, ranks, on_finding=announce, tell=report_all, say=voice.say)
        ended = session.run()
    except ProgramError as error:
        raise UsageError(str(error)) from None
    if ended.reason == "interrupted":
        _die_of_interrupt(ended.error)
    return ended.status or session.exit_status


def _plan(options: Namespace, program: Program, ranks: Ranks | None) -> Plan:
    rules = tuple(choose_rules(options, program.folder))
    if ranks is not None and not ranks.writes_report:
        options.report = None
    check_writable(options.report)
    alerts = requested(options)
    try:
        labels = make_labels(options.name, options.group, options.tag, options.note)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if options.report is not None:
        options.report = options.report.absolute()  # the script may change its folder
    return Plan(
        program.name,
        rules,
        stop_on=None if options.stop_on == "never" else options.stop_on,
        overhead=options.overhead,
        gradcheck=options.gradcheck,
        thorough=options.thorough,
        max_steps=options.max_steps,
        log=None if options.no_log else _log(options.log, labels.name or program.name, ranks),
        user_code=user_code(program),
        alerts=alerts,
        prometheus=options.prometheus,
        labels=labels,
    )


def _log(log: Path, name: str, ranks: Ranks | None) -> Path:
    if log != DEFAULT_LOG:  # else nobody asked for it: it is told when it fails, and training goes on
        check_log(log)
    folder = run_folder(log.absolute(), name)
    return folder if ranks is None else Path(ranks.agree(str(folder)))


def _die_of_interrupt(error: BaseException | None) -> None:
    """Leave it to Python to end as a program killed by Ctrl-C ends; the traceback was already shown."""
    sys.excepthook = lambda *shown: None
    assert error is not None
    raise error
