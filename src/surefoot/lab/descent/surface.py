"""The surfaces. Each formula is written once: torch follows its gradient, and the page draws its contours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Surface:
    """A loss of two weights, in operators that Python and JavaScript read alike."""

    name: str
    title: str
    formula: str  # of w0 and w1
    about: str
    low: Point  # corners of what is drawn
    high: Point
    minima: tuple[Point, ...]
    start: Point
    levels: tuple[float, ...]  # of the contours
    rate: float  # with which gradient descent gets somewhere
    adaptive_rate: float  # with which Adam and its kin do
    spread: float  # of the samples' pulls: enough to be seen

    @property
    def text(self) -> str:
        """The formula as people write it."""
        return self.formula.replace("**2", "²").replace(" * ", "·")

    def loss(self, w0: Any, w1: Any) -> Any:
        """Of numbers, arrays or tensors."""
        return eval(_compiled(self.formula), {"__builtins__": {}}, {"w0": w0, "w1": w1})


@cache
def _compiled(formula: str) -> CodeType:
    return compile(formula, "<surface>", "eval")


_ALL = (
    Surface(
        "bowl",
        "Elongated bowl",
        "w0**2 + 4 * w1**2",
        "Four times as steep across as along: the rate must suit the steep direction, and the other one waits.",
        low=(-4.0, -3.0),
        high=(4.0, 3.0),
        minima=((0.0, 0.0),),
        start=(3.0, 2.0),
        levels=(0.1, 0.5, 2.0, 5.0, 10.0, 20.0, 30.0, 40.0),
        rate=0.15,
        adaptive_rate=0.3,
        spread=4.0,
    ),
    Surface(
        "rosenbrock",
        "Rosenbrock's valley",
        "(1 - w0)**2 + 100 * (w1 - w0**2)**2",
        "A bent valley with steep walls. Finding it is easy; following its floor to the minimum at (1, 1) is not.",
        low=(-2.0, -1.0),
        high=(2.0, 2.0),
        minima=((1.0, 1.0),),
        start=(-1.2, 1.0),
        levels=(0.1, 1.0, 5.0, 20.0, 100.0, 300.0, 1000.0, 2000.0),
        rate=0.001,
        adaptive_rate=0.05,
        spread=10.0,
    ),
    Surface(
        "saddle",
        "Saddle",
        "w0**2 + (w1**2 - 1)**2 / 4",
        "Two minima, at (0, 1) and (0, -1), and a saddle between them at (0, 0), where the gradient is zero as well.",
        low=(-2.4, -1.8),
        high=(2.4, 1.8),
        minima=((0.0, 1.0), (0.0, -1.0)),
        start=(2.0, 0.001),
        levels=(0.02, 0.1, 0.2, 0.25, 0.35, 0.6, 1.0, 2.0, 4.0),
        rate=0.1,
        adaptive_rate=0.05,
        spread=0.5,
    ),
    Surface(
        "plateau",
        "Plateau",
        "(w0**2 + w1**2) / (1 + w0**2 + w1**2)",
        "Nearly flat but for a hole: far from the minimum the gradient is tiny, though nothing is solved.",
        low=(-6.0, -4.5),
        high=(6.0, 4.5),
        minima=((0.0, 0.0),),
        start=(4.0, 3.0),
        levels=(0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.94, 0.96, 0.97),
        rate=1.0,
        adaptive_rate=0.1,
        spread=0.02,
    ),
    Surface(
        "ravine",
        "Ravine",
        "10 * (w0 - w1)**2 + (w0 + w1)**2 / 10",
        "A hundred times as steep across as along, and askew: a rate for each weight does not straighten it.",
        low=(-4.0, -3.0),
        high=(4.0, 3.0),
        minima=((0.0, 0.0),),
        start=(-2.5, -1.5),
        levels=(0.1, 0.5, 2.0, 10.0, 30.0, 80.0, 160.0, 300.0),
        rate=0.045,
        adaptive_rate=0.1,
        spread=4.0,
    ),
)
SURFACES = {one.name: one for one in _ALL}
