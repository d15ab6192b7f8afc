"""`@frozen`: what `@dataclass(frozen=True, slots=True)` makes, in a fifth of the time.

Standard dataclasses compile six methods for each class. With a hundred classes that is a noticeable part of the time
it takes to start, so here only `__init__` is compiled, and all classes share the rest.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

Made = TypeVar("Made")
Values = Callable[[Any], tuple[Any, ...]]  # of some fields, in their order


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[Made]) -> type[Made]:
    """Make an immutable dataclass with slots. For plain classes: no inheritance, no `__post_init__`."""
    cls.__doc__ = cls.__doc__ or cls.__name__  # else dataclass() writes a signature, which is dear
    defined = set(vars(cls))
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    own = fields(made)
    values, compared = _values([f.name for f in own]), _values([f.name for f in own if f.compare])
    made.__init__ = _init(made, own)
    made.__setattr__ = made.__delattr__ = _refuse
    shared = {"__eq__": _eq(compared), "__hash__": _hash(compared), "__reduce__": _reduce(values), "__repr__": _repr}
    for name in shared.keys() - defined:
        setattr(made, name, shared[name])
    return made  # type: ignore[no-any-return]


def _values(names: list[str]) -> Values:
    if len(names) > 1:
        return attrgetter(*names)  # in C; of a single name it gives no tuple
    return lambda self: tuple(getattr(self, name) for name in names)


def _init(cls: type, own: tuple[Field[Any], ...]) -> Any:
    scope: dict[str, Any] = {"MISSING": MISSING}
    parameters, lines = ["self"], ["pass"]
    for f in own:
        scope[f"_set_{f.name}"] = getattr(cls, f.name).__set__  # of the slot: `__setattr__` refuses
        value, default = f.name, f.default
        if f.default_factory is not MISSING:
            scope[f"_make_{f.name}"] = f.default_factory
            value, default = f"_make_{f.name}() if {f.name} is MISSING else {f.name}", MISSING
        if default is MISSING and f.default_factory is MISSING:
            parameters.append(f.name)
        else:
            scope[f"_default_{f.name}"] = default
            parameters.append(f"{f.name}=_default_{f.name}")
        lines.append(f"_set_{f.name}(self, {value})")
    exec(f"def __init__({', '.join(parameters)}):\n  " + "\n  ".join(lines), scope)
    scope["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
    return scope["__init__"]


def _eq(values: Values) -> Any:
    return lambda self, other: values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(values: Values) -> Any:
    return lambda self: hash(values(self))


def _reduce(values: Values) -> Any:
    return lambda self: (self.__class__, values(self))


def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse(self: Any, name: str, value: object = None) -> NoReturn:
    raise FrozenInstanceError(f"cannot change field {name!r}")
