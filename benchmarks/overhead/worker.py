"""One process that trains in blocks of steps, watched and unwatched in turns.

Prints CPU seconds: of an unwatched and of a watched step, and what watching added to the first steps in all.

python -m benchmarks.overhead.worker m1 16 400
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers

from benchmarks.models import MAX_NORM, MODELS
from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer import Sanitizer

WARM = 64  # steps before the first block: the sanitizer records them all, and its first sleep comes after them
GLOBAL_HOOKS: list[dict[int, Any]] = [
    hooks
    for home in (modules, optimizers)
    for name, hooks in vars(home).items()
    if name.startswith("_global_") and name.endswith("_hooks") and isinstance(hooks, dict)
]


@contextmanager
def unwatched(sanitizer: Sanitizer) -> Iterator[None]:
    """Torch's own functions are back and its lists of hooks are empty: nothing of the sanitizer is called."""
    hooked = [dict(hooks) for hooks in GLOBAL_HOOKS]
    for hooks in GLOBAL_HOOKS:
        hooks.clear()
    with sanitizer.recorder.patches.suspended():
        yield
    for hooks, entries in zip(GLOBAL_HOOKS, hooked, strict=True):
        hooks.update(entries)


def main(name: str, block: int, num_blocks: int) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    sanitizer = _watch()
    problem = MODELS[name]()
    model, loss_fn, optimizer, x, y = problem.model, problem.loss_fn, problem.optimizer(), problem.x, problem.y

    def train(num_steps: int) -> float:
        started = time.process_time()
        for _ in range(num_steps):
            loss = loss_fn(model(x), y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
            optimizer.zero_grad()
        return time.process_time() - started

    first = train(WARM)
    spent = {"raw": 0.0, "watched": 0.0}
    for turn in range(num_blocks):
        for way in ("raw", "watched") if turn % 2 else ("watched", "raw"):  # neither always goes first
            with unwatched(sanitizer) if way == "raw" else nullcontext():
                spent[way] += train(block)
    seen, taken = sanitizer.recorder.num_steps, WARM + block * num_blocks
    assert seen == taken, f"the sanitizer was to see {taken} steps and saw {seen}"
    raw, watched = (spent[way] / (block * num_blocks) for way in ("raw", "watched"))
    print(raw, watched, first - WARM * raw)


def _watch() -> Sanitizer:
    def fail(probe: str, error: Exception) -> None:
        raise SystemExit(f"{probe}: {error!r}")

    structural = [rule for rule in catalogue().values() if "signals" not in rule.probes]
    sanitizer = Sanitizer(structural, on_failure=fail)
    sanitizer.start()
    return sanitizer


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
