"""What can be chosen: torch's optimizers and schedules with their settings and torch's own defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from surefoot.lab.descent.field import Choice, Count, Field, Number, Switch
from surefoot.lab.descent.surface import SURFACES

MOST_PATHS = 4
MOST_STEPS = 2000
NUM_SAMPLES = 64  # of which the surface is the mean


@dataclass(frozen=True, slots=True)
class Kind:
    """An optimizer or a schedule. `rate` is what it is mostly used with, whatever the surface."""

    title: str
    fields: tuple[Field, ...] = ()
    rate: float | None = None
    is_adaptive: bool = False


def _share(name: str, title: str, default: float) -> Number:
    return Number(name, title, default, most=1.0, is_below=True)


def _small(default: float) -> Number:
    return Number("eps", "eps", default, most=1.0)


def _decay(default: float = 0.0) -> Number:
    return Number("weight_decay", "Weight decay", default, most=10.0)


_BETAS = (_share("beta1", "beta 1", 0.9), _share("beta2", "beta 2", 0.999))
_MOMENTUM = _share("momentum", "Momentum", 0.0)

OPTIMIZERS: Mapping[str, Kind] = {
    "SGD": Kind("SGD", (_MOMENTUM, Switch("nesterov", "Nesterov"), _decay(), _share("dampening", "Dampening", 0.0))),
    "RMSprop": Kind(
        "RMSprop",
        (_share("alpha", "alpha", 0.99), _MOMENTUM, _decay(), Switch("centered", "Centered"), _small(1e-8)),
        is_adaptive=True,
    ),
    "Adagrad": Kind(
        "Adagrad",
        (_decay(), Number("lr_decay", "Rate decay", 0.0, most=10.0), _small(1e-10),
         Number("initial_accumulator_value", "Initial accumulator", 0.0, most=100.0)),
        is_adaptive=True,
    ),
    "Adam": Kind("Adam", (*_BETAS, _decay(), Switch("amsgrad", "AMSGrad"), _small(1e-8)), is_adaptive=True),
    "AdamW": Kind("AdamW", (*_BETAS, _decay(0.01), Switch("amsgrad", "AMSGrad"), _small(1e-8)), is_adaptive=True),
    "NAdam": Kind(
        "NAdam",
        (*_BETAS, _decay(), Number("momentum_decay", "Momentum decay", 0.004, most=1.0), _small(1e-8)),
        is_adaptive=True,
    ),
    "RAdam": Kind("RAdam", (*_BETAS, _decay(), _small(1e-8))),  # its first updates are those of momentum
    "Adadelta": Kind("Adadelta", (_share("rho", "rho", 0.9), _decay(), _small(1e-6)), rate=1.0),
    "LBFGS": Kind(
        "L-BFGS",
        (Count("max_iter", "Iterations a step", 4, most=20), Count("history_size", "History", 100, most=100),
         Switch("line_search", "Strong Wolfe search")),
        rate=1.0,
    ),
}  # fmt: skip

_FLOOR = _share("floor", "Lowest share of the rate", 0.0)

SCHEDULES: Mapping[str, Kind] = {
    "constant": Kind("Constant"),
    "step": Kind(
        "Steps", (Count("step_size", "Every … updates", 20, most=MOST_STEPS), Number("gamma", "Factor", 0.5, most=2.0))
    ),
    "exponential": Kind("Exponential", (Number("decay", "Factor an update", 0.97, most=2.0),)),
    "cosine": Kind("Cosine", (_FLOOR,)),
    "warmup_cosine": Kind("Warm-up, cosine", (Count("warmup", "Warm-up updates", 10, 0, MOST_STEPS), _FLOOR)),
    "one_cycle": Kind(
        "One cycle",
        (Number("pct_start", "Share that rises", 0.3, most=1.0, is_above=True, is_below=True),
         Switch("cycle_momentum", "Momentum too")),
    ),
}  # fmt: skip
CYCLES_MOMENTUM = ("SGD", "RMSprop", "Adam", "AdamW", "NAdam", "RAdam")

NOISES = {"batch": "Full batch", "mini": "Mini-batch", "single": "Single sample"}

SHARED: tuple[Field, ...] = (
    Choice("surface", "Surface", "bowl", {name: surface.title for name, surface in SURFACES.items()}),
    Count("steps", "Updates", 50, most=MOST_STEPS),
    Count("seed", "Seed", 0, least=0, most=2**31 - 1),
)
START = (Number("w0", "Start w0", 0.0, -1000.0), Number("w1", "Start w1", 0.0, -1000.0))
SPREAD = Number("spread", "Spread of the samples", 0.0, most=1000.0)

PATH: tuple[Field, ...] = (
    Choice("optimizer", "Optimizer", "SGD", {name: kind.title for name, kind in OPTIMIZERS.items()}),
    Number("rate", "Learning rate", 0.15, is_above=True),
    Choice("schedule", "Schedule", "constant", {name: kind.title for name, kind in SCHEDULES.items()}),
    Choice("noise", "Gradient from", "batch", NOISES),
    Count("batch_size", "Samples a batch", 8, most=NUM_SAMPLES),
    Switch("forget_zero", "Forget to zero"),
    Count("accumulate", "Accumulate", 1, most=64),
    Switch("divide", "Divide by it", default=True),
    Number("clip_norm", "Clip norm (0: off)", 0.0, most=1e6),
)
