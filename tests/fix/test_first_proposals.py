"""What patchers propose first, for ways of writing a bug that the corpus does not have."""

from pathlib import Path

import pytest

from surefoot.fix.code.source import Source
from surefoot.fix.patcher import patchers
from surefoot.judge import Finding

FILE = Path("train.py")
COUNTED = (
    "for epoch in range(4):\n    for i, x in enumerate(xs):\n        if (i + 1) % 8 == 0:\n            opt.step()\n"
)


def proposals(rule: str, code: str, line: int, message: str = "") -> list[str]:
    source = Source(FILE, code)
    finding = Finding(rule, "error", message, "", "", str(FILE), line, 1)
    return [edit.text() for patcher in patchers()[rule] for _, edit in patcher.propose(source, finding)]


@pytest.mark.parametrize(
    ("rule", "code", "line", "message", "expected"),
    [
        ("mask-after-reduction", "f = nn.BCELoss()\nl = (f(p, y) * m).sum()\n", 2, "", 'nn.BCELoss(reduction="none")'),
        ("mask-after-reduction", "l = F.mse_loss(p, y, reduction='sum') * m\n", 1, "", 'y, reduction="none") * m'),
        ("mask-after-reduction", "kl = torch.sum(p - q) * m\n", 1, "", "torch.sum(p - q, dim=-1) * m"),
        ("mask-after-reduction", "kl = (p - q).sum() * m\n", 1, "", "(p - q).sum(dim=-1) * m"),
        ("optimizer-never-steps", COUNTED, 4, "", " num_micro_batches += 1\n        if num_micro_batches % 8 == 0:"),
        ("optimizer-never-steps", "o = torch.optim.SGD(ps)\nloss.backward()\n", 2, "", "backward()\no.step()\n"),
        ("gradient-through-target", "l = f(q(s), r + g * q(t))\n", 1, "the target", "f(q(s), (r + g * q(t)).detach())"),
        ("gradient-through-target", "a = r - v\nl = (-p * a).mean() + a.pow(2).mean()\n", 2, "an advantage",
         "l = (-p * a.detach()).mean() + a.pow(2).mean()"),
        ("gradient-through-target", "l = -((r - v) * p).mean()\n", 1, "an advantage", "-((r - v).detach() * p)"),
        ("loss-term-without-gradient", "@torch.no_grad()\ndef f(x):\n    return x.abs()\n", 3, "", "def f(x):\n    re"),
        ("samples-mixed-in-batch", "m = nn.LSTM(3, 4)\n", 1, "a recurrent layer", "nn.LSTM(3, 4, batch_first=True)"),
        ("samples-mixed-in-batch", "h = h.view(t, b, f)\n", 1, "a tensor is viewed as", "h = h.transpose(0, 1)\n"),
    ],
)  # fmt: skip
def test_first_proposal(rule: str, code: str, line: int, message: str, expected: str) -> None:
    first = proposals(rule, code, line, message)[0]
    assert expected in first
    assert "no_grad" not in first


def test_nothing_is_proposed_where_nothing_fits() -> None:
    assert not proposals("gradient-through-target", "l = f(q(s), t)\n", 1, "the target")
    assert not proposals("gradient-through-target", "l = (p * a).mean()\n", 1, "an advantage")
    assert not proposals("gradient-through-target", "x = 1\n", 7, "the target")
    assert not proposals("optimizer-never-steps", "opt.step()\n", 1)
