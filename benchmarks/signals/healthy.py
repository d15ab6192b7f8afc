"""Healthy runs of many kinds, measured at every step: no rule of the families health and converge may warn.

python -m benchmarks.signals.healthy             # all of them; prints the number of runs and every warning
python -m benchmarks.signals.healthy --seeds 1   # one seed of each kind
"""

import argparse
import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from benchmarks.models import Transformer
from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer import Sanitizer
from surefoot.watch.settings import Settings

STEPS = 240
FAMILIES = ("health", "converge")
Batch = tuple[Tensor, Tensor]
OPTIMIZERS: dict[str, tuple[Callable[..., torch.optim.Optimizer], tuple[float, ...]]] = {
    "sgd": (torch.optim.SGD, (0.003, 0.03, 0.1)),
    "momentum": (lambda params, lr: torch.optim.SGD(params, lr, momentum=0.9), (0.003, 0.03)),
    "adam": (torch.optim.Adam, (1e-4, 1e-3, 1e-2)),
    "adamw": (torch.optim.AdamW, (3e-4, 3e-3)),
    "rmsprop": (torch.optim.RMSprop, (1e-4, 1e-3)),
    "adagrad": (torch.optim.Adagrad, (1e-2,)),
    "nadam": (torch.optim.NAdam, (1e-3,)),
}


class Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, width))
        nn.init.zeros_(self.inner[3].weight)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.inner(x)


def _stack(depth: int, bend: type[nn.Module], num_out: int) -> nn.Module:
    layers = [part for _ in range(depth - 1) for part in (nn.Linear(24, 24), bend())]
    return nn.Sequential(nn.Linear(8, 24), bend(), *layers, nn.Linear(24, num_out))


def _residual(depth: int) -> nn.Module:
    return nn.Sequential(nn.Linear(8, 24), *[Residual(24) for _ in range(depth)], nn.Linear(24, 4))


def _conv(depth: int) -> nn.Module:
    inner = [part for _ in range(depth) for part in (nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())]
    return nn.Sequential(nn.Unflatten(1, (1, 8, 8)), nn.Conv2d(1, 8, 3), *inner, nn.Flatten(), nn.Linear(288, 4))


MODELS: dict[str, tuple[Callable[[], nn.Module], str]] = {
    "linear": (lambda: nn.Linear(8, 4), "classes"),
    "relu-1": (lambda: _stack(1, nn.ReLU, 4), "classes"),
    "relu-3": (lambda: _stack(3, nn.ReLU, 1), "values"),
    "relu-6": (lambda: _stack(6, nn.ReLU, 4), "classes"),
    "tanh-3": (lambda: _stack(3, nn.Tanh, 1), "values"),
    "sigmoid-2": (lambda: _stack(2, nn.Sigmoid, 4), "classes"),
    "gelu-4": (lambda: _stack(4, nn.GELU, 4), "classes"),
    "residual-8": (lambda: _residual(8), "classes"),
    "zero-head": (lambda: _zero_head(_stack(2, nn.ReLU, 4)), "classes"),
    "conv-3": (lambda: _conv(3), "images"),
    "transformer": (lambda: Transformer(width=16, depth=2, heads=2, vocabulary=12), "tokens"),
}  # fmt: skip


def _zero_head(model: nn.Module) -> nn.Module:
    last = list(model.children())[-1]
    nn.init.zeros_(last.weight)  # type: ignore[arg-type]
    return model


def _batch(kind: str) -> Batch:
    x = torch.randn(32, 64 if kind == "images" else 8)
    if kind == "values":
        return x, x[:, :1] * x[:, 1:2] + x[:, 2:3]
    if kind == "tokens":
        begin = torch.randint(12, (8, 1))
        tokens = (begin + torch.arange(13) * torch.randint(1, 3, (8, 1))) % 12
        return tokens[:, :-1], tokens[:, 1:].flatten()
    return x, x[:, :4].argmax(1)


@dataclass(frozen=True)
class Case:
    model: str
    optimizer: str
    rate: float
    seed: int
    clips: bool


def cases(num_seeds: int) -> Iterator[Case]:
    pairs = [(name, rate) for name, (_, rates) in OPTIMIZERS.items() for rate in rates]
    for seed, (optimizer, rate), model in itertools.product(range(num_seeds), pairs, MODELS):
        yield Case(model, optimizer, rate, seed, clips=seed % 2 == 1)


def run(case: Case) -> list[str]:
    """The warnings and errors of one run."""
    torch.manual_seed(case.seed)
    make, kind = MODELS[case.model]
    found: list[str] = []
    rules = [rule for rule in catalogue().values() if rule.family in FAMILIES]
    sanitizer = Sanitizer(
        rules,
        settings=Settings(overhead=1.0),
        on_finding=lambda finding: found.append(f"{finding.severity} {finding.rule}: {finding.message}"),
        on_failure=lambda name, error: found.append(f"error {name} failed: {error!r}"),
    )
    sanitizer.start()
    try:
        _train(make(), case, kind)
    finally:
        sanitizer.finish()
    return [text for text in found if not text.startswith("note")]


def _train(model: nn.Module, case: Case, kind: str) -> None:
    optimizer = OPTIMIZERS[case.optimizer][0](model.parameters(), lr=case.rate)
    for _ in range(STEPS):
        x, y = _batch(kind)
        outputs = model(x)
        loss = F.mse_loss(outputs, y) if kind == "values" else F.cross_entropy(outputs, y)
        optimizer.zero_grad()
        loss.backward()
        if case.clips:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    torch.set_num_threads(1)
    num_runs = num_warned = 0
    for case in cases(parser.parse_args().seeds):
        num_runs += 1
        warnings = run(case)
        num_warned += bool(warnings)
        for text in warnings:
            print(case, text, flush=True)
        if num_runs % 20 == 0:
            print(f"{num_runs} runs", file=sys.stderr, flush=True)
    print(f"{num_runs} healthy runs of {STEPS} steps, {num_warned} with a warning")
    sys.exit(num_warned > 0)


if __name__ == "__main__":
    main()
