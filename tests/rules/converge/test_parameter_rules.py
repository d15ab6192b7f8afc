"""The rules on single parameters over time, on hand-written courses."""

from surefoot.facts import SignalFacts
from surefoot.rules.converge.parameter_flat import check as parameter_flat
from surefoot.rules.converge.parameter_jump import check as parameter_jump
from tests.rules.health.course import course, first_heard, param, step


def thrown(i: int, update: float = 8.0, grad: float = 50.0, others: float = 0.01, at: int = 45) -> SignalFacts:
    now = i == at
    rest = [param(name, update=others if now else 0.01) for name in ("a", "b", "c")]
    return step(i, 1.0, param("scale", grad if now else 0.1, update=update if now else 0.01), *rest)


def test_parameter_jump() -> None:
    found = first_heard(parameter_jump, course(50, thrown))
    assert found is not None and found[0] == 45
    assert "moved scale by 8, 800 times as far as usual and 80% of its size" in found[1].message
    assert first_heard(parameter_jump, course(50, lambda i: thrown(i, update=1.0))) is None
    assert first_heard(parameter_jump, course(50, lambda i: thrown(i, grad=0.2))) is None
    assert first_heard(parameter_jump, course(50, lambda i: thrown(i, others=1.0))) is None  # all of them
    assert first_heard(parameter_jump, course(50, lambda i: thrown(i, at=20))) is None  # at the start
    assert first_heard(parameter_jump, course(50, lambda i: thrown(i, at=5 if i < 30 else 45))) is None  # as before


def stops(i: int, after: int = 12, others: float = 0.01) -> SignalFacts:
    rest = [param(name, update=others) for name in ("a", "b")]
    return step(i, 1.0, param("gain", update=0.01 if i <= after else 0.0), *rest)


def test_parameter_flat_is_noted() -> None:
    found = first_heard(parameter_flat, course(60, stops))
    assert found is not None and found[0] == 44
    assert found[1].message.startswith("gain moved at the start")
    assert first_heard(parameter_flat, course(60, lambda i: stops(i, after=0))) is None  # never moved
    assert first_heard(parameter_flat, course(60, lambda i: stops(i, others=0.0))) is None
    assert first_heard(parameter_flat, course(60, lambda i: stops(i if i % 10 else 1))) is None  # now and then
