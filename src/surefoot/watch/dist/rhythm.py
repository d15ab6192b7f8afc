"""At which updates ranks note something: the same on all of them, without a word between them."""

SPACING = 256  # updates between notes; before that the 1st, 2nd, 4th, 8th, …


def is_noted(update: int) -> bool:
    return update % SPACING == 0 if update > SPACING else update & (update - 1) == 0


def until_noted(update: int) -> int:
    """How many updates come after this one and before the next that is noted."""
    following = update + 1
    due = -(-following // SPACING) * SPACING if following > SPACING else 1 << (following - 1).bit_length()
    return due - following
