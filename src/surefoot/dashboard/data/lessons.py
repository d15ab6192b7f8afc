"""What is taught, as data: families, rules, questions, and the lines in which wrong and right code differ."""

from __future__ import annotations

import difflib
from typing import Any

from surefoot.rules import Rule
from surefoot.rules.catalogue import catalogue
from surefoot.rules.lesson import BELIEF, TRUTH, families, lesson_of
from surefoot.rules.question import questions_of


def all_lessons() -> dict[str, Any]:
    """A line for each family and each rule."""
    rules = catalogue().values()
    return {
        "families": [
            {"family": family, "about": about, "rules": [_line(rule) for rule in rules if rule.family == family]}
            for family, about in families(rules).items()
        ]
    }


def family_lesson(name: str) -> dict[str, Any]:
    known = families(catalogue().values())
    if name not in known:
        raise KeyError(f"there is no family {name!r}.")
    lessons = [lesson_of(rule) for rule in catalogue().values() if rule.family == name]
    return {
        "family": name,
        "about": known[name],
        "rules": [{**_line(one.rule), "belief": one.belief, "truth": one.truth} for one in lessons],
        "questions": [
            {
                "text": question.text,
                "choices": list(question.choices),
                "right": question.right,
                "reason": question.reason,
                "proof": question.proof,
            }
            for question in questions_of(name)
        ],
    }


def rule_lesson(name: str) -> dict[str, Any]:
    rules = catalogue()
    if name not in rules:
        raise KeyError(f"there is no rule {name!r}.")
    lesson = lesson_of(rules[name])
    bad, good = (lesson.programs.get(twin, "") for twin in ("Bad", "Good"))
    return {
        **_line(lesson.rule),
        "family": lesson.rule.family,
        "belief": lesson.belief,
        "truth": lesson.truth,
        "sections": [
            {"title": title, "text": text} for title, text in lesson.sections.items() if title not in (BELIEF, TRUTH)
        ],
        "lines": _side_by_side(bad.splitlines(), good.splitlines()),
        "obstacle": lesson.obstacle,
    }


def _line(rule: Rule) -> dict[str, str]:
    return {"rule": rule.name, "level": rule.level, "summary": rule.summary}


def _side_by_side(bad: list[str], good: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Both programs line by line; `differs` where the other one has no such line."""
    matched = difflib.SequenceMatcher(a=bad, b=good, autojunk=False)
    same = matched.get_matching_blocks()
    in_bad = {block.a + i for block in same for i in range(block.size)}
    in_good = {block.b + i for block in same for i in range(block.size)}
    return {
        "bad": [{"text": text, "differs": number not in in_bad} for number, text in enumerate(bad)],
        "good": [{"text": text, "differs": number not in in_good} for number, text in enumerate(good)],
    }
