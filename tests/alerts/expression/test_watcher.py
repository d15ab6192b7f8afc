"""When an expression comes true in the course of a run."""

from surefoot.alerts.expression import Book, Watcher, parse


def true_at(text: str, values: list[tuple[int, float]], name: str = "loss") -> list[int]:
    """The steps at which it is told; a step takes a second."""
    book = Book()
    watcher = Watcher(parse(text, book))
    told = []
    for step, value in values:
        book.add((name,), step, float(step), (value,))
        if watcher.look(book):
            told.append(step)
    return told


def test_it_is_told_when_it_comes_true_and_again_after_it_was_not() -> None:
    values = [(step, float(step % 10)) for step in range(1, 31)]
    assert true_at("loss > 6", values) == [7, 17, 27]


def test_it_must_hold_as_long_as_it_shall() -> None:
    values = [(step, 0.0 if step in (3, 50) else 9.0) for step in range(1, 100)]
    assert true_at("loss > 2 for 20 steps", values) == [24, 71]
    assert true_at("loss > 2 for 20 seconds", values) == [24, 71]
    assert true_at("loss > 2 for 1 minute", values) == []
    assert true_at("loss > 2 for 20 steps", values[::10]) == [21]  # of a series that is measured now and then


def test_what_is_not_known_any_more_begins_anew() -> None:
    assert true_at("loss > 2 for 3 steps", [(1, 9.0), (2, 9.0), (3, float("nan")), (4, 9.0), (6, 9.0)]) == []


def test_a_counter_that_is_set_back_begins_anew() -> None:
    assert true_at("loss > 2 for 10 steps", [(5, 9.0), (10, 9.0), (1, 9.0), (10, 9.0), (11, 9.0)]) == [11]
