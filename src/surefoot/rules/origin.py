"""The part of a message that names the origin of a NaN or Inf."""

from surefoot.facts import BirthFacts


def describe(birth: BirthFacts | None) -> str:
    """What follows the statement that something is not finite; nothing, if nothing is known."""
    if birth is None:
        return ""
    if birth.where == "weight":
        return f"; {birth.module} was not finite before the forward"
    what = f"{birth.operation}{_place(birth)}"
    detail = f": {birth.detail}" if birth.detail else ""
    match birth.where:
        case "input":
            return f"; what goes into {what} without a gradient, such as data, targets or a mask, is not finite already"
        case "mask":
            return f"; {what} is given -inf, as masks are{detail}"
        case "backward":
            return f"; it comes from the slope of {what}, unless a value on the way was infinite or overflowed"
        case "seen":
            return f"; it is first seen in the result of {what}: what went into that is not kept, or not all of it"
        case _:
            return f"; the first comes from {what}, whose inputs are finite{detail}"


def _place(birth: BirthFacts) -> str:
    between = ""
    if birth.after and birth.before:
        between = f" between {birth.after} and {birth.before}"
    elif birth.after:
        between = f" after {birth.after}"
    return (f" in {birth.module}" if birth.module else "") + between
