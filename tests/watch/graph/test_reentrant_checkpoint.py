"""Re-entrant checkpoints in the ways people write them."""

from pathlib import Path

import pytest
from torch.utils.checkpoint import CheckpointFunction

from tests.watch.graph.program import watch

PROGRAM = """
import warnings
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

warnings.filterwarnings("ignore", message="None of the inputs")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.sequence = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        self.head = nn.Linear(4, 1)

    def run(self, x):
        return self.blocks[1](torch.tanh(self.blocks[0](x)))

    def forward(self, x):
        {forward}

net = Net()
{setup}
optimizer = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.01)
for _ in range(5):
    x = torch.randn(8, 4)
    loss = F.mse_loss(net(x), x.sum(1, keepdim=True))
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()
"""

BAD = {
    "module": "return self.head(self.run(x) + checkpoint(self.sequence, x, use_reentrant=True))  # HERE",
    "method": "return self.head(self.sequence(x) + checkpoint(self.run, x, use_reentrant=True))  # HERE",
    "closure": """
        def inner(value):
            return self.run(value)
        return self.head(self.sequence(x) + checkpoint(inner, x, use_reentrant=True))  # HERE
    """.strip(),
    "sequential": """
        x = checkpoint_sequential(self.sequence, 2, x, use_reentrant=True)  # HERE
        return self.head(x)
    """.strip(),
    "chain": """
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=True)  # HERE
        return self.head(x)
    """.strip(),
}


@pytest.mark.parametrize("forward", BAD.values(), ids=BAD)
def test_finds_the_call(forward: str, tmp_path: Path) -> None:
    findings, _, lines = watch(PROGRAM.format(forward=forward, setup=""), tmp_path)
    (finding,) = (f for f in findings if f.severity != "note")
    assert finding.rule == "checkpoint-drops-gradients"
    assert finding.line is not None and lines[finding.line].endswith("# HERE")
    assert finding.step == 1


GOOD = {
    "input requires a gradient": ("return self.head(checkpoint(self.run, x.requires_grad_(), use_reentrant=True))", ""),
    "not re-entrant": ("return self.head(checkpoint(self.run, x, use_reentrant=False))", ""),
    "frozen": (
        "return self.head(checkpoint(self.run, x, use_reentrant=True))",
        "net.blocks.requires_grad_(False)",
    ),
    "gradient by another way": (
        "return self.head(checkpoint(self.run, x, use_reentrant=True) + self.run(x))",
        "",
    ),
}


@pytest.mark.parametrize(("forward", "setup"), GOOD.values(), ids=GOOD)
def test_silent(forward: str, setup: str, tmp_path: Path) -> None:
    findings, _, _ = watch(PROGRAM.format(forward=forward, setup=setup), tmp_path)
    assert [f for f in findings if f.severity != "note"] == []


def test_evaluating_with_gradients_on_is_no_training(tmp_path: Path) -> None:
    forward = "return self.head(checkpoint(self.run, x, use_reentrant=True))"
    setup = "for _ in range(3):\n    net(torch.randn(8, 4))\n_forward = net.forward\n"
    setup += "net.forward = lambda x: net.head(net.run(x))"
    findings, _, _ = watch(PROGRAM.format(forward=forward, setup=setup), tmp_path)
    assert [f for f in findings if f.severity != "note"] == []


def test_torch_gets_its_own_function_back(tmp_path: Path) -> None:
    watch("pass", tmp_path)
    assert "apply" not in vars(CheckpointFunction)
