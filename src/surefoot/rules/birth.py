"""How the origin of a NaN or Inf is told in a message."""

from surefoot.facts import BirthFacts


def told(birth: BirthFacts | None) -> str:
    """What follows the statement that something is not finite; nothing, if the origin is not known."""
    if birth is None:
        return ""
    if birth.where == "weight":
        return f"; {birth.module} was not finite before: an earlier step did it"
    place = _place(birth)
    if birth.where == "input":
        return f"; what goes into {birth.operation}{place} without a gradient, data or targets, is not finite already"
    if birth.where == "backward":
        return f"; it comes from the slope of {birth.operation}{place}"
    detail = f": {birth.detail}" if birth.detail else ""
    return f"; the first comes from {birth.operation}{place}, whose inputs are finite{detail}"


def _place(birth: BirthFacts) -> str:
    between = ""
    if birth.after and birth.before:
        between = f" between {birth.after} and {birth.before}"
    elif birth.after:
        between = f" after {birth.after}"
    return (f" in {birth.module}" if birth.module else "") + between
