"""What is wrong with an expression, and where."""


class ExpressionError(ValueError):
    """Shows the expression with a mark under the place."""

    def __init__(self, what: str, text: str, at: int) -> None:
        shown = "".join(c if c.isprintable() else " " for c in text)
        super().__init__(f"{what}\n  {shown}\n  {' ' * at}^")
        self.what = what
        self.at = at

    def __reduce__(self) -> tuple[type[ValueError], tuple[str]]:  # pools send exceptions to their parent
        return (ValueError, (str(self),))
