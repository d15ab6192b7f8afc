"""`@frozen` gives what a frozen dataclass with slots gives."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import dataclass, field

import pytest

from surefoot.facts.frozen import frozen


@frozen
class Point:
    x: int
    y: float = 2.0
    tags: list[str] = field(default_factory=list)

    @property
    def double(self) -> int:
        return 2 * self.x


@frozen
class Single:
    """One field."""

    only: tuple[int, ...] = ()


@frozen
class Own:
    secret: str = field(default="", repr=False)
    ignored: int = field(default=0, compare=False, repr=False)

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return (Own, ())


@dataclass(frozen=True, slots=True)
class Standard:
    x: int
    y: float = 2.0
    tags: list[str] = field(default_factory=list)


def test_fields_come_by_position_by_name_and_by_default() -> None:
    point = Point(1, tags=["a"])
    assert (point.x, point.y, point.tags, point.double) == (1, 2.0, ["a"], 2)
    assert Point(1).tags is not Point(1).tags
    assert [*inspect.signature(Point).parameters] == [*inspect.signature(Standard).parameters]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1, z=2)  # type: ignore[call-arg]


def test_it_can_not_be_changed() -> None:
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x'"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x'"):
        del point.x  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError, match="'other'"):
        point.other = 2  # type: ignore[attr-defined]
    assert not hasattr(point, "__dict__")


def test_it_is_compared_and_hashed_by_class_and_values() -> None:
    assert Point(1) == Point(1, 2.0, []) != Point(2)
    assert Point(1) != Standard(1)  # type: ignore[comparison-overlap]
    assert Single((1, 2)) == Single((1, 2))
    assert Own("a", 1) == Own("a", 2) != Own("b", 1)
    assert hash(Single((1, 2))) == hash(Single((1, 2)))
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1))


def test_it_is_shown_copied_and_pickled() -> None:
    point = Point(1, 0.5, ["a"])
    assert repr(point) == repr(Standard(1, 0.5, ["a"])).replace("Standard", "Point")
    assert copy.copy(point) == copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
    assert copy.deepcopy(point).tags is not point.tags
    assert pickle.loads(pickle.dumps(Single((3,)))) == Single((3,))
    assert pickle.loads(pickle.dumps(Own("a"))) == Own()
    assert repr(Own("a")) == "Own()"


def test_dataclasses_know_it() -> None:
    point = Point(1)
    assert dataclasses.replace(point, y=3.0) == Point(1, 3.0)
    assert dataclasses.asdict(point) == dataclasses.asdict(Standard(1))
    match point:
        case Point(x, y):
            assert (x, y) == (1, 2.0)
    assert dataclasses.is_dataclass(Point)
