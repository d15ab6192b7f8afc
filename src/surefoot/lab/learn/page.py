"""Lessons as Markdown, for a terminal and for `less`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from surefoot.rules import Rule
from surefoot.rules.lesson import BELIEF, TRUTH, Lesson, families, lesson_of
from surefoot.rules.question import Question, questions_of

LETTERS = "abcdef"
_FIRST = ("What it does", "Why it matters", BELIEF, TRUTH)


def contents(rules: Iterable[Rule]) -> str:
    """One line for each."""
    known = list(rules)
    width = max(len(rule.name) for rule in known)
    blocks = []
    for family, about in families(known).items():
        lines = [f"  {rule.name:<{width}}  {rule.summary}" for rule in known if rule.family == family]
        blocks.append("\n".join([f"{family}: {about}", *lines]))
    return "\n\n".join(blocks) + "\n"


def family_page(family: str, rules: Iterable[Rule]) -> str:
    known = [rule for rule in rules if rule.family == family]
    parts = [f"# {family}", families(known)[family]]
    for rule in known:
        lesson = lesson_of(rule)
        parts += [f"## {rule.name}", f"{rule.summary} ({rule.level})"]
        if lesson.belief:
            parts += [f"*Believed:* {_joined(lesson.belief)}", f"*In truth:* {_joined(lesson.truth)}"]
    return "\n\n".join(parts) + "\n"


def questions_page(family: str, *, with_answers: bool) -> str:
    asked = questions_of(family)
    if not asked:
        return ""
    parts = ["## Questions"]
    for number, question in enumerate(asked, 1):
        parts += [f"{number}. {question.text}", "\n".join(choices(question))]
        if with_answers:
            parts.append(answer(question))
    return "\n\n".join(parts) + "\n"


def choices(question: Question) -> list[str]:
    """As list items, each on a line of its own wherever it is shown."""
    return [f"   - {letter}) {choice}" for letter, choice in zip(LETTERS, question.choices, strict=False)]


def answer(question: Question) -> str:
    return f"   {LETTERS[question.right]}) is right. {question.reason}"


def rule_page(lesson: Lesson) -> str:
    rule = lesson.rule
    parts = [f"# {rule.name}", f"{rule.level}, family {rule.family}", rule.summary]
    later = [title for title in lesson.sections if title not in _FIRST]
    for title in (*_FIRST, *later):
        if title in lesson.sections:
            parts += [f"## {title}", lesson.sections[title]]
        if title == TRUTH and len(lesson.programs) == 2:
            parts += ["## Bad (-) and Good (+)", f"```diff\n{_difference(lesson)}\n```"]
    parts.append(lesson.obstacle or f"See it happen: `surefoot learn {rule.name} --run`")
    return "\n\n".join(parts) + "\n"


def _difference(lesson: Lesson) -> str:
    """The whole of both programs; a line that only one of them has is marked."""
    return "\n".join(_marked(lesson.programs["Bad"].splitlines(), lesson.programs["Good"].splitlines()))


def _marked(bad: list[str], good: list[str]) -> Iterator[str]:
    for kind, a, b, c, d in difflib.SequenceMatcher(a=bad, b=good, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (f"  {line}".rstrip() for line in bad[a:b])
        else:
            yield from (f"- {line}".rstrip() for line in bad[a:b])
            yield from (f"+ {line}".rstrip() for line in good[c:d])


def _joined(text: str) -> str:
    return " ".join(text.split())
