"""What every rule and every family teaches: it is there, it is short, and what can be executed holds."""

import re
from pathlib import Path

import pytest

from surefoot.rules.catalogue import catalogue
from surefoot.rules.lesson import families, is_for_ranks, lesson_of
from surefoot.rules.question import Question, QuestionError, questions_of

RULES = catalogue()
FAMILIES = families(RULES.values())
QUESTIONS = [(family, question) for family in FAMILIES for question in questions_of(family)]
PROOFS = [pytest.param(q.proof, id=f"{family}-{q.text[:40]}") for family, q in QUESTIONS if q.proof]


def sentences(text: str) -> list[str]:
    return [one for one in re.split(r"(?<=[.!?])\s+", re.sub(r"`[^`]*`", "code", text)) if one]


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_what_people_believe_and_what_is_true(name: str) -> None:
    lesson = lesson_of(RULES[name])
    for text in (lesson.belief, lesson.truth):
        assert text.endswith((".", "?")) and 1 <= len(sentences(text)) <= 3, text
        assert 20 < len(text) < 400, "one to three sentences"
    assert set(lesson.programs) == {"Bad", "Good"} and "import torch" in lesson.programs["Good"]
    assert {"What it does", "Why it matters"} <= lesson.sections.keys()


def test_all_programs_are_run_that_need_no_device_and_no_other_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    assert [name for name, rule in RULES.items() if lesson_of(rule).obstacle] == ["host-waits-every-step"]
    monkeypatch.setattr("sys.platform", "win32")
    assert "fork" in lesson_of(RULES["duplicate-worker-randomness"]).obstacle


def test_the_family_of_ranks_is_for_several_of_them() -> None:
    for name, rule in RULES.items():
        programs = lesson_of(rule).programs.values()
        assert {is_for_ranks(code) for code in programs} == {rule.family == "dist"}, name


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_one_line_and_at_least_three_questions(family: str) -> None:
    assert FAMILIES[family].endswith(".")
    asked = questions_of(family)
    assert len(asked) >= 3
    for question in asked:
        assert question.text.endswith("?") and len(question.text) < 200
        assert len(question.choices) == len(set(question.choices)) == 3
        assert not any("`" in choice and choice.count("`") % 2 for choice in question.choices)
        assert 1 <= len(sentences(question.reason)) <= 4 and 60 < len(question.reason) < 500
        assert "```" not in question.reason and "[ ]" not in question.reason


def test_the_right_answer_is_in_no_fixed_place() -> None:
    places = [question.right for _, question in QUESTIONS]
    assert all(places.count(place) < 0.7 * len(places) for place in range(3))
    assert len({question.text for _, question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("proof", PROOFS)
def test_the_answer_is_proved(proof: str) -> None:
    assert "assert " in proof
    exec(compile(proof, "proof.py", "exec"), {"__name__": "__main__"})


def test_most_answers_are_proved() -> None:
    assert len(PROOFS) >= 0.85 * len(QUESTIONS)


def test_a_question_is_read(tmp_path: Path) -> None:
    text = "# Title\n\n## What is it?\n- [ ] this\n- [x] that, over\n  two lines\n\nBecause\nit is.\n\n"
    text += "```python\npass\n```\n"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "questions.md").write_text(text, encoding="utf-8")
    wanted = Question("What is it?", ("this", "that, over two lines"), 1, "Because it is.", "pass\n")
    assert questions_of("mine", tmp_path) == (wanted,)
    assert questions_of("of-a-plug-in", tmp_path) == ()
    (tmp_path / "mine" / "questions.md").write_text(text.replace("[x]", "[ ]"), encoding="utf-8")
    with pytest.raises(QuestionError, match="one choice that is ticked, got 0"):
        questions_of("mine", tmp_path)
