"""Live objects are found by their kind, and none is kept."""

import gc
import weakref

from surefoot.watch.instances import live


class Thing:
    def __init__(self) -> None:
        self.itself = [self]


class Kind(Thing):
    """A kind of it."""


def test_objects_of_a_kind_and_of_its_kinds_are_found() -> None:
    one, other = Thing(), Kind()
    assert {id(thing) for thing in live(Thing)} >= {id(one), id(other)}
    assert [thing for thing in live(Kind) if thing is one] == []


def test_nothing_is_kept() -> None:
    gc.collect()
    gc.disable()
    try:
        bystander = {1, 2, 3}
        gone = weakref.finalize(lone := type("Lone", (), {})(), lambda: None)
        assert live(Kind) is not None
        del lone, bystander
        assert not gone.alive
    finally:
        gc.enable()
