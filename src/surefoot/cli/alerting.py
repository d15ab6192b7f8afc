"""Options about alerts, and what they ask for."""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from surefoot.cli.usage import UsageError

if TYPE_CHECKING:
    from surefoot.alerts.request import Request
    from surefoot.alerts.when import Wanted

ON_HELP = 'a level, a rule, a family or an expression such as "zscore(loss, 50) > 4"; repeatable'


def add_alert_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--alert", action="append", default=[], metavar="URL",
        help="send alerts there: json(s)://…, cmd:COMMAND, env:VARIABLE, or any address of apprise")  # fmt: skip
    add_on_option(parser, f"when to send one: {ON_HELP} (default: error)")


def add_on_option(parser: argparse.ArgumentParser, message: str) -> None:
    parser.add_argument("--alert-on", action="append", default=[], metavar="WHEN", help=message)


def requested(options: Namespace) -> tuple[Request, ...]:
    """What the options ask for; refused before the script starts if something is wrong with it."""
    if options.alert_on and not options.alert:
        raise UsageError("--alert-on needs an address: --alert URL.")
    if not options.alert and options.prometheus is None:
        return ()
    from surefoot.alerts.request import alert

    try:
        requests = tuple(alert(url, options.alert_on) for url in options.alert)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if options.no_log and any(request.wanted.expressions for request in requests):
        raise UsageError("expressions in --alert-on read the log: leave out --no-log.")
    if options.no_log and options.prometheus is not None:
        raise UsageError("--prometheus serves logged values: leave out --no-log.")
    return requests


def wanted(given: Sequence[str]) -> Wanted:
    from surefoot.alerts.when import read_wanted

    try:
        return read_wanted(given)
    except ValueError as error:
        raise UsageError(str(error)) from None
