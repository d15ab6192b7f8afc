"""At which updates ranks note something: the same on all of them, without a word between them."""

SPACING = 256  # updates between notes; before that the 1st, 2nd, 4th, 8th, …


def is_noted(update: int) -> bool:
    return update % SPACING == 0 if update > SPACING else update & (update - 1) == 0
