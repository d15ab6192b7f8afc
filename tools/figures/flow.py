"""Drawings of what happens to a gradient: one step, the order of a scaled step, whose gradients they are."""

import math
from collections.abc import Sequence

import torch
from tools.figures.paper import Paper
from torch import nn


def one_step() -> str:
    """With the values of the first step of the program in docs/guide/README.md, in the order of its data."""
    torch.manual_seed(0)
    x = torch.randn(1000, 10)
    y = (x @ torch.randn(10) > 0).long()
    model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    before = model[2].bias.tolist()
    outputs = model(x[:100])
    loss = nn.functional.cross_entropy(outputs, y[:100])
    loss.backward()
    gradient = model[2].bias.grad.tolist()
    optimizer.step()
    stages = [
        ("data", "1000×10", "a batch: 100×10", _numbers(x[0, :2].tolist())),
        ("model", "10 → 16 → 2", "outputs: 100×2", _numbers(outputs[0].tolist())),
        ("loss", "mean over 100", "one number", f"{loss.item():.3f}"),
        ("clear", "zero_grad()", "4 gradients", "None"),
        ("backward", "fills .grad", "2.bias.grad", _numbers(gradient)),
        ("step", "w − 0.5 · grad", "2.bias", _numbers(model[2].bias.tolist())),
    ]
    paper = Paper(900, 265, "One training step")
    for i, (name, what, where, value) in enumerate(stages):
        left = 12 + 148 * i
        paper.box(left, 40, 126, 112, "c0" if name in ("clear", "backward", "step") else "line")
        paper.text(left + 63, 64, name, anchor="middle", size=16)
        paper.text(left + 63, 88, what, "dim", anchor="middle")
        paper.text(left + 63, 112, where, "dim", anchor="middle", size=12)
        paper.text(left + 63, 136, value, anchor="middle")
        if i:
            paper.arrow((left - 22, 96), (left, 96))
    paper.line([(815, 152), (815, 186), (75, 186)])
    paper.arrow((75, 186), (75, 152))
    paper.text(445, 204, f"the next batch (2.bias was {_numbers(before)} before the step)", "dim", anchor="middle")
    paper.text(880, 24, "clearing here would throw the gradient away", "bad", anchor="end", size=12)
    paper.arrow((741, 28), (741, 92), "bad")
    paper.text(12, 240, "Gradients are computed, applied and emptied by three different calls.", "dim")
    return paper.svg()


def scaling() -> str:
    paper = Paper(900, 330, "A scaled step, and what fp16 can hold")
    calls = [
        ("scale(loss)", "× 65536"), ("backward()", "× 65536"), ("unscale_()", "× 1"), ("clip", "× 1"),
        ("step()", "if finite"), ("update()", "new scale"), ("zero_grad()", "empty"),
    ]  # fmt: skip
    for i, (name, carries) in enumerate(calls):
        left = 12 + 127 * i
        scaled = carries == "× 65536"
        paper.box(left, 34, 106, 62, "c1" if scaled else "c0")
        paper.text(left + 53, 60, name, anchor="middle")
        paper.text(left + 53, 82, carries, "c1" if scaled else "dim", anchor="middle", size=12)
        if i:
            paper.arrow((left - 21, 65), (left, 65))
    paper.text(12, 20, "gradients carry the scale …", "c1", size=12)
    paper.text(266, 20, "… until here; whoever looks at them comes after", "c0", size=12)
    _ranges(paper)
    return paper.svg()


def _ranges(paper: Paper) -> None:
    """What fp16 holds, and where gradients lie without and with a scale."""
    low, high = -12, 6

    def across(power: float) -> float:
        return 150 + (power - low) / (high - low) * 720

    smallest, largest = math.log10(2**-24), math.log10(65504)
    lift = math.log10(65536)
    rows = [
        ("fp16 holds", smallest, largest, "c0", 170), ("gradients", -11.0, -4.0, "c1", 204),
        ("times 65536", -11.0 + lift, -4.0 + lift, "c2", 238),
    ]  # fmt: skip
    paper.text(12, 146, "for example, gradients between 1e-11 and 1e-4", "dim")
    for power in range(low, high + 1, 2):
        paper.line([(across(power), 158), (across(power), 272)], "grid")
        paper.text(across(power), 290, f"1e{power}", "dim", anchor="middle", size=12)
    for name, start, end, kind, top in rows:
        paper.text(12, top + 15, name, size=13)
        paper.bar(across(start), top, across(end) - across(start), 20, kind)
    paper.line([(across(smallest), 158), (across(smallest), 272)], "bad", dashed=True)
    paper.text(across(smallest) - 6, 318, "left of this line fp16 has only zero", "bad", anchor="middle", size=12)


def owners() -> str:
    paper = Paper(900, 300, "Whose gradients: two optimizers, one backward")
    places = {"g": (300, "generator", "c0"), "d": (560, "discriminator", "c1")}
    for key, (left, name, kind) in places.items():
        paper.box(left, 96, 190, 86, kind)
        paper.text(left + 95, 120, name, anchor="middle", size=15)
        paper.text(left + 95, 146, "weights", "dim", anchor="middle")
        paper.text(left + 95, 168, "and their .grad", anchor="middle")
        paper.box(left + 20, 236, 150, 40, kind, filled=False)
        paper.text(left + 95, 261, f"opt_{key}: steps, clears", anchor="middle", size=12)
        paper.arrow((left + 95, 236), (left + 95, 182), kind)
    paper.text(60, 128, "noise", "dim")
    paper.arrow((110, 124), (300, 124))
    paper.arrow((490, 124), (560, 124))
    paper.arrow((750, 124), (800, 124))
    paper.text(806, 128, "loss of G")
    paper.line([(840, 112), (840, 52), (655, 52)], "bad")
    paper.arrow((655, 52), (655, 96), "bad")
    paper.line([(655, 52), (395, 52)], "bad")
    paper.arrow((395, 52), (395, 96), "bad")
    paper.text(525, 40, "backward() fills both", "bad", anchor="middle")
    paper.text(758, 168, "nobody ordered this:", "bad", size=12)
    paper.text(758, 184, "opt_g clears only G", "bad", size=12)
    return paper.svg()


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{value:+.3f}" for value in values)
