"""Learning rates as a factor of the highest one, by step; no torch, so that stored curves can be judged without it."""

from __future__ import annotations

import math
from collections.abc import Callable

Schedule = Callable[[int, int], float]  # of the step, from 0, and the number of steps of the whole run


def constant(step: int, total: int) -> float:
    return 1.0


def cosine(step: int, total: int) -> float:
    return 0.5 * (1 + math.cos(math.pi * step / total))


def linear(step: int, total: int) -> float:
    return 1 - step / total


def one_cycle(step: int, total: int) -> float:
    rise = 0.3 * total
    return 0.04 + 0.96 * step / rise if step < rise else cosine(int(step - rise), int(total - rise))


def cosine_to_a_tenth(step: int, total: int) -> float:
    return 0.1 + 0.9 * cosine(step, total)


def drops(step: int, total: int) -> float:
    return 0.1 ** (step >= total / 2) * 0.1 ** (step >= 3 * total / 4)


def drop_at_1300(step: int, total: int) -> float:
    return 1.0 if step < 1300 else 0.1


def halved_every_500(step: int, total: int) -> float:
    return 0.5 ** (step // 500)


def inverse_root(step: int, total: int) -> float:
    return min((step + 1) / 100, math.sqrt(100 / (step + 1)))


def warm_up(step: int, total: int) -> float:
    return min(1.0, (step + 1) / 200)


def restarts_every_400(step: int, total: int) -> float:
    return cosine(step % 400, 400)


STRETCHED = (cosine, linear, one_cycle, cosine_to_a_tenth, drops)  # a longer run is another run from its first step on


def rates(schedule: Schedule, highest: float, total: int) -> list[float]:
    return [highest * schedule(step, total) for step in range(total)]
