"""`surefoot explain RULE`: the rule's own documentation."""

import sys
from collections.abc import Sequence

from surefoot.cli.parsing import parser_of
from surefoot.cli.usage import UsageError
from surefoot.judge import nearest
from surefoot.rules import Rule
from surefoot.rules.catalogue import catalogue


def main(argv: Sequence[str]) -> int:
    parser = parser_of("explain", "Explain what a rule finds, why it matters and how to fix it.")
    parser.add_argument("rule", metavar="RULE")
    name = parser.parse_args(argv).rule
    rules = catalogue()
    if name not in rules:
        near = nearest(name, rules)
        hint = f" Did you mean {near!r}?" if near else ""
        raise UsageError(f"there is no rule named {name!r}.{hint} `surefoot rules` lists them all.")
    _print(rules[name])
    return 0


def _print(rule: Rule) -> None:
    """Set as a page on a terminal, plain Markdown elsewhere."""
    heading = f"# {rule.name}\n\n{rule.level}, family {rule.family}\n\n"
    if not sys.stdout.isatty():
        print(heading + rule.doc)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console(highlight=False).print(Markdown(heading + rule.doc))
