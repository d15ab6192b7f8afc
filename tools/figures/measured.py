"""Charts of real runs: paths of optimizers, schedules, gradient norms by layer.

In double precision, so that they are the same on other machines.
"""

from collections.abc import Callable
from typing import Any

import torch
from tools.figures.paper import Axes, Paper
from torch import nn
from torch.optim import lr_scheduler

import surefoot as sf
from surefoot.lab.chart.chart import Scale

Point = tuple[float, float]


def paths() -> str:
    """On w0² + 4·w1², from (3, 2) with rate 0.15."""
    optim = torch.optim
    makers: dict[str, Callable[[Any], Any]] = {
        "gradient descent": lambda p: optim.SGD(p, lr=0.15),
        "momentum 0.9": lambda p: optim.SGD(p, lr=0.15, momentum=0.9),
        "RMSprop": lambda p: optim.RMSprop(p, lr=0.15),
        "Adam": lambda p: optim.Adam(p, lr=0.15),
    }
    paper = Paper(900, 640, "Paths of four optimizers on an elongated bowl")
    for number, (name, make) in enumerate(makers.items()):
        left, top = 60 + 440 * (number % 2), 50 + 310 * (number // 2)
        axes = Axes(paper, (left, top, 380, 230), Scale(-3.6, 3.6), Scale(-2.4, 2.4))
        x, y = axes.at(0, 0)
        for level in (1, 4, 9, 12.25):  # of the loss: half axes √level and √level / 2
            across, down = axes.at(level**0.5, 0)[0] - x, y - axes.at(0, level**0.5 / 2)[1]
            paper.ellipse(x, y, across, down, "line" if level == 1 else "grid")
        axes.frame((-3, 0, 3), (-2, 0, 2), "w0" if number > 1 else "", "w1")
        axes.curve(_path(make), f"c{number}", dots=True)
        paper.text(left + 190, top - 12, f"{name}, 20 steps", f"c{number}", anchor="middle", size=14)
    return paper.svg()


def _path(make: Callable[[Any], Any]) -> list[Point]:
    w = torch.tensor([3.0, 2.0], dtype=torch.float64, requires_grad=True)
    optimizer = make([w])
    points = [(3.0, 2.0)]
    for _ in range(20):
        optimizer.zero_grad()
        (w[0] ** 2 + 4 * w[1] ** 2).backward()
        optimizer.step()
        points.append((w[0].item(), w[1].item()))
    return points


def schedules() -> str:
    makers: dict[str, Callable[[Any], Any]] = {
        "step": lambda o: lr_scheduler.StepLR(o, step_size=30, gamma=0.3),
        "exponential": lambda o: lr_scheduler.ExponentialLR(o, gamma=0.97),
        "inverse time": lambda o: sf.schedule.inverse_time(o, scale=20),
        "warm restarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, T_0=25),
        "one cycle": lambda o: lr_scheduler.OneCycleLR(o, max_lr=0.1, total_steps=100),
        "warm-up and cosine": lambda o: sf.schedule.warmup_cosine(o, warmup=10, updates=100),
    }
    paper = Paper(900, 420, "Rates of six schedules")
    for number, (name, make) in enumerate(makers.items()):
        left, top = 50 + 290 * (number % 3), 45 + 190 * (number // 3)
        axes = Axes(paper, (left, top, 240, 120), Scale(1, 100), Scale(0, 0.1))
        axes.frame((1, 50, 100), (0, 0.05, 0.1), "update" if number > 2 else "", "")
        optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)
        curve = sf.schedule.preview(make(optimizer), 100)
        axes.curve([(i, rate) for i, rate in enumerate(curve.rates, 1)], f"c{number}")
        paper.text(left + 120, top - 12, name, f"c{number}", anchor="middle", size=14)
    return paper.svg()


def depth() -> str:
    """Norms of the gradients of twenty layers, after one backward."""
    xavier, he = nn.init.xavier_normal_, nn.init.kaiming_normal_
    nets = [
        ("sigmoid, Xavier", torch.sigmoid, xavier, False),
        ("ReLU, Xavier", torch.relu, xavier, False),
        ("ReLU, He", torch.relu, he, False),
        ("ReLU, He, residual", torch.relu, he, True),
    ]
    paper = Paper(900, 420, "Gradient norm by layer")
    axes = Axes(paper, (80, 50, 560, 300), Scale(1, 20), Scale(1e-15, 1e2, is_log=True))
    axes.frame((1, 5, 10, 15, 20), (1e-15, 1e-10, 1e-5, 1), "layer, from the input", "norm of the weight's gradient")
    for number, (name, activation, init, residual) in enumerate(nets):
        norms = _norms(activation, init, residual)
        axes.curve(list(enumerate(norms, 1)), f"c{number}", dots=True)
        paper.text(664, 90 + 50 * number, name, f"c{number}", size=14)
        paper.text(664, 108 + 50 * number, f"first {norms[0]:.0e}, last {norms[-1]:.0e}", "dim", size=12)
    return paper.svg()


def _norms(activation: Callable[[Any], Any], init: Callable[[Any], Any], residual: bool) -> list[float]:
    torch.manual_seed(0)
    layers = nn.ModuleList(nn.Linear(64, 64, dtype=torch.float64) for _ in range(20))
    for layer in layers:
        init(layer.weight)
        nn.init.zeros_(layer.bias)
    h = torch.randn(256, 64, dtype=torch.float64)
    for layer in layers:
        out = activation(layer(h))
        h = h + out / 20**0.5 if residual else out
    h.square().mean().backward()
    return [layer.weight.grad.norm().item() for layer in layers]
