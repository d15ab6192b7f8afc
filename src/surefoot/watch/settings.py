"""What the user decides about watching."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    overhead: float = 0.02  # share of the step time that signals may cost
    gradcheck: bool = False  # compare custom autograd functions with finite differences
    max_steps: int | None = None  # end the program after so many steps
    stops: bool = False  # findings may stop a step, so that those with closures are judged inside them
    thorough: bool = False  # arm and record every window
