"""`surefoot learn`: misconceptions and facts, questions, and programs that demonstrate them."""

import argparse
import signal
import sys
from collections.abc import Sequence
from contextlib import closing

from surefoot.cli.parsing import parser_of
from surefoot.cli.usage import INTERRUPTED_STATUS, UsageError
from surefoot.cli.voice import Voice
from surefoot.judge import nearest
from surefoot.rules.catalogue import catalogue
from surefoot.rules.lesson import Lesson, lesson_of

_EXAMPLES = """\
  surefoot learn                            all families and rules, a line each
  surefoot learn grad                       a family: what is believed, what is true, three questions
  surefoot learn grad --answers             with the answers
  surefoot learn stale-gradients            a rule: wrong code beside right code
  surefoot learn stale-gradients --run      run both, and see what the loss and the weights do
  surefoot learn stale-gradients --run --format json

On a terminal the questions are asked one by one. --run starts two processes that train a tiny model under all rules;
Ctrl-C ends them. Exit status: 0; 1 if a program could not run to its end; 2 for a name that is not known.
"""


def main(argv: Sequence[str]) -> int:
    options = _parse(argv)
    if options.name is None:
        return _list(options)
    if options.name not in catalogue():
        return _family(options)
    lesson = lesson_of(catalogue()[options.name])
    if options.run:
        return _run(lesson, options)
    if options.format == "json":
        from surefoot.dashboard.data.lessons import rule_lesson

        return _print_json(rule_lesson(options.name))
    from surefoot.lab.learn.page import rule_page

    return _show(rule_page(lesson))


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = parser_of("learn", "Learn what goes wrong in training and watch it happen.", _EXAMPLES)
    parser.add_argument("name", nargs="?", metavar="RULE | FAMILY")
    parser.add_argument("--run", action="store_true", help="run a rule's bad and good program")
    parser.add_argument("--answers", action="store_true", help="show the answers to the questions of a family")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="with --run: JSON lines, as it goes")
    parser.add_argument("--until-stdin-closes", action="store_true", help="with --run: end when stdin is closed")
    options = parser.parse_args(argv)
    families = {rule.family for rule in catalogue().values()}
    if options.name is not None and options.name not in {*catalogue(), *families}:
        near = nearest(options.name, [*catalogue(), *families])
        hint = f" Did you mean {near!r}?" if near else ""
        raise UsageError(f"there is no rule or family named {options.name!r}.{hint} `surefoot learn` lists them all.")
    if options.run and options.name not in catalogue():
        raise UsageError("--run runs the programs of a rule. Name one: `surefoot learn` lists them all.")
    return options


def _list(options: argparse.Namespace) -> int:
    if options.format == "json":
        from surefoot.dashboard.data.lessons import all_lessons

        return _print_json(all_lessons())
    from surefoot.lab.learn.page import contents

    print(contents(catalogue().values()))
    print("`surefoot learn NAME` explains a rule or family, `surefoot learn RULE --run` demonstrates it.")
    return 0


def _family(options: argparse.Namespace) -> int:
    if options.format == "json":
        from surefoot.dashboard.data.lessons import family_lesson

        return _print_json(family_lesson(options.name))
    from surefoot.lab.learn.page import family_page, questions_page
    from surefoot.lab.learn.quiz import ask
    from surefoot.rules.question import questions_of

    text = family_page(options.name, catalogue().values())
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not options.answers
    _show(text if asks else f"{text}\n{questions_page(options.name, with_answers=options.answers)}")
    if asks and (questions := questions_of(options.name)):
        num_right = ask(questions, input, print)
        print(f"\n{num_right} of {len(questions)} right.")
    return 0


def _run(lesson: Lesson, options: argparse.Namespace) -> int:
    if lesson.obstacle:
        raise UsageError(f"{lesson.rule.name}: {lesson.obstacle}")
    from surefoot.lab.learn.end_with_parent import when_parent_ends
    from surefoot.lab.learn.outcome import Outcome
    from surefoot.lab.learn.runner import run_twins

    if options.until_stdin_closes:
        import _thread

        when_parent_ends(_thread.interrupt_main)
    voice, outcome = Voice(), Outcome()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # nothing is left behind then either
    try:
        with closing(run_twins(lesson)) as messages:
            for message in messages:
                outcome.take(message)
                if options.format == "json":
                    _print_json(message)
                else:
                    _report_progress(voice, message)
    except KeyboardInterrupt:
        voice.say("cancelled; both programs were ended.")
        return INTERRUPTED_STATUS
    if options.format == "text":
        print(outcome.as_text(), end="")
    return int(outcome.has_failed)


def _report_progress(voice: Voice, message: dict[str, object]) -> None:
    twin = str(message.get("twin", "")).capitalize()
    if message["kind"] == "begin":
        voice.say(f"runs both programs of {message['rule']}; torch takes a few seconds to load. Ctrl-C ends them.")
    elif message["kind"] == "ready":
        voice.say(f"{twin} trains.")
    elif message["kind"] == "end":
        voice.say(f"{twin} {message['reason']}.")


def _print_json(value: object) -> int:
    from surefoot.dashboard.data.encode import encode

    print(encode(value), flush=True)
    return 0


def _show(text: str) -> int:
    """Set as a page on a terminal, plain Markdown elsewhere."""
    if not sys.stdout.isatty():
        print(text)
        return 0
    from rich.console import Console
    from rich.markdown import Markdown

    Console(highlight=False).print(Markdown(text))
    return 0
