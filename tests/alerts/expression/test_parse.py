"""Expressions: what they mean, and how those with errors are refused."""

import math

import pytest

from surefoot.alerts.expression import Book, ExpressionError, parse


def holds(text: str, rows: list[dict[str, float]]) -> bool | None:
    """After these rows, one a step and one a second."""
    book = Book()
    expression = parse(text, book)
    for step, row in enumerate(rows, 1):
        book.add(tuple(row), step, float(step), tuple(row.values()))
    return expression.condition.holds(book)


ROWS = [{"loss": value, "val/loss": value + 1} for value in (5.0, 4.0, 3.0, 2.0, 1.0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("loss > 3", False),
        ("loss < 3", True),
        ("val/loss == 2", True),
        ('"val/loss" >= 2.0', True),
        ("val/loss - loss == 1", True),
        ("val/loss / loss == 2", True),
        ("-loss <= -1", True),
        ("loss * 2 + 1 == 3", True),
        ("1 + loss * 2 == 3", True),
        ("(1 + loss) * 2 == 4", True),
        ("8 - 4 - 2 == 2", True),
        ("loss > 3 or val/loss > 1", True),
        ("loss > 3 or loss < 0.5 and loss < 3", False),
        ("not loss > 3 and not (loss > 4)", True),
        ("not not loss < 3", True),
        ("mean(loss, 5) == 3", True),
        ("median(loss, 4) == 2.5", True),
        ("min(loss, 3) == 1 and max(loss, 3) == 3", True),
        ("min(loss) == 1 and max(loss) == 5", True),
        ("slope(loss, 4) == -1", True),
        ("last(loss) == 1 and last(loss, 2) == 3", True),
        ("count(loss) == 5", True),
        ("age(loss) == 0", True),
        ("step == 5", True),
        ("finite(loss)", True),
        ("std(loss, 5) > 1.58 and std(loss, 5) < 1.59", True),
        ("zscore(loss, 4) < -1.9 and zscore(loss, 4) > -1.95", True),  # 1 beside 5, 4, 3, 2
        ("loss / 0 > 1", False),
        ("1e-3 < .5 and 2. < 1E3", True),
    ],
)
def test_what_holds(text: str, expected: bool) -> None:
    assert holds(text, ROWS) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mean(loss, 6) > 0", None),
        ("not mean(loss, 6) > 0", None),
        ("acc > 0", None),
        ("acc > 0 or loss < 3", True),
        ("loss < 3 or acc > 0", True),
        ("acc > 0 and loss > 3", False),
        ("acc > 0 and loss < 3", None),
        ("finite(acc)", None),
        ("age(acc) > 1", None),
        ("-acc + 1 > 0", None),
        ("count(acc) == 0", True),
    ],
)
def test_what_is_not_known_decides_nothing(text: str, expected: bool | None) -> None:
    assert holds(text, ROWS) is expected


def test_what_is_not_finite_is_seen_and_left_out_of_windows() -> None:
    rows = [{"loss": value} for value in (1.0, 2.0, math.nan, 3.0)]
    assert holds("mean(loss, 3) == 2 and min(loss) == 1", rows)
    assert holds("not finite(loss) and not (loss < 3) and mean(loss, 2) == 1.5", rows[:3])
    assert holds("last(loss, 1) == 2", rows[:3])
    assert holds("zscore(loss, 2) > 4", [{"loss": 1.0}, {"loss": 2.0}, {"loss": math.inf}])
    assert holds("zscore(loss, 2) > 4", rows[:3]) is False


def test_a_window_of_equal_values() -> None:
    rows = [{"loss": 0.1}] * 5
    assert holds("zscore(loss, 4) == 0 and std(loss, 4) == 0", rows)
    assert holds("zscore(loss, 4) > 100", [*rows, {"loss": 0.2}])


@pytest.mark.parametrize(
    ("text", "at", "what"),
    [
        ("", 0, "a value is missing"),
        ("loss >", 6, "a value is missing"),
        ("loss", 0, "this is a number"),
        ("loss > 3 and acc", 13, "this is a number"),
        ("not loss", 4, "this is a number"),
        ("(loss > 3) > 2", 0, "a number is needed"),
        ("1 + (loss > 3) > 2", 4, "a number is needed"),
        ("-(loss > 3) > 2", 1, "a number is needed"),
        ("1 < loss < 3", 9, "one comparison at a time"),
        ("loss > 3)", 8, "is not expected here"),
        ("loss > 3 acc", 9, "`acc` is not expected here"),
        ("zscore(loss, 50 > 4", 16, "`)` is missing"),
        ("zscore(loss) > 4", 11, "zscore(loss, 50)"),
        ("zscore(loss, 1) > 4", 13, "from 2 to"),
        ("mean(loss, 1.5) > 4", 11, "a whole number"),
        ("mean(loss, 1e9) > 4", 11, "a whole number"),
        ("mean(loss + 1, 5) > 4", 10, "needs to know over how many"),
        ("mean(3, 5) > 4", 5, "takes the name of a series, got `3`"),
        ("finite(3)", 7, "takes the name of a series"),
        ("age(loss, 3) > 4", 8, "`)` is missing"),
        ("zsocre(loss, 50) > 4", 0, "did you mean zscore?"),
        ("__import__(os) > 4", 0, "there is no function __import__"),
        ("loss = 3", 5, "write `==`"),
        ("loss > 3 & acc > 1", 9, "write `and`"),
        ("loss § 3", 5, "means nothing here"),
        ('"loss > 3', 0, "this quote is not closed"),
        ('"" > 3', 0, "this name is empty"),
        ("2nd > 3", 0, "written in quotes"),
        ("loss > 3 for", 12, "`for` takes a number"),
        ("loss > 3 for 0 steps", 13, "`for` takes a number above 0"),
        ("loss > 3 for 20", 15, "counts steps, seconds, minutes or hours, got the end"),
        ("loss > 3 for 20 days", 16, "got `days`"),
        ("loss > 3 for 2.5 steps", 13, "whole numbers"),
        ("loss > 3 for 20 steps and acc > 1", 22, "is not expected here"),
        ("and > 3", 0, "a value is missing"),
        ("(" * 60 + "loss", 51, "nested too deeply"),
        ("not " * 60 + "loss > 3", 204, "nested too deeply"),
    ],
)
def test_errors_are_refused_with_their_place(text: str, at: int, what: str) -> None:
    with pytest.raises(ExpressionError) as refused:
        parse(text)
    assert what in refused.value.what
    assert refused.value.at == at
    *_, shown, mark = str(refused.value).split("\n")
    assert shown == f"  {text}"
    assert mark == " " * (at + 2) + "^"


def test_what_it_is_about() -> None:
    expression = parse(" val/loss > 2 and min('a b') > lr/0 for 200 steps ")
    assert expression.text == "val/loss > 2 and min('a b') > lr/0 for 200 steps"
    assert expression.names == {"val/loss", "a b", "lr/0"}
    assert (expression.for_steps, expression.for_seconds, expression.uses_clock) == (200, 0.0, False)
    expression = parse("loss > 2 for 1.5 minutes")
    assert (expression.for_steps, expression.for_seconds, expression.uses_clock) == (0, 90.0, True)
    assert parse("age(loss) > 60").uses_clock
    assert parse("step > 5").names == frozenset()
    assert parse("optimizer-2/loss > 5 or loop-2/val.acc > 1").names == {"optimizer-2/loss", "loop-2/val.acc"}
