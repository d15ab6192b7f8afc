"""Who calls forward."""

from pathlib import Path

import pytest
import torch
from torch import nn

from tests.watch.graph.program import end_of, watch
from tests.watch.watching import watching

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 6)
        self.head = nn.Linear(6, 1)

    def forward(self, x):
        return self.head(torch.tanh(self.layer(x)))

    def predict(self, x):
        return self.forward(x)

class Sub(Net):
    def forward(self, x):
        return super().forward(x) + self.layer.forward(x).mean()

class Raw(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 1))

    def forward(self, x):
        return x @ self.weight

    def predict(self, x):
        return x @ self.weight

def train(net, predict):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(5):
        x = torch.randn(8, 4)
        optimizer.zero_grad()
        F.mse_loss(predict(net, x), x.sum(1, keepdim=True)).backward()
        optimizer.step()

"""

BAD = {
    "net": "train(Net(), lambda net, x: net.forward(x))  # HERE",
    "sub": "train(Sub(), lambda net, x: net.forward(x))  # HERE",
    "bare layer": "train(nn.Linear(4, 1), lambda net, x: net.forward(x))  # HERE",
    "own parameters": "train(Raw(), lambda net, x: net.forward(x))  # HERE",
    "function": """
def predict(net, x):
    return net.forward(x)  # HERE

train(Net(), predict)
    """,
    "trainer": """
class Trainer:
    def __init__(self):
        self.net = Net()

    def predict(self, net, x):
        return self.net.forward(x)  # HERE

trainer = Trainer()
train(trainer.net, trainer.predict)
    """,
    "comprehension": """
nets = nn.ModuleList([Net(), Net()])

def predict(nets, x):
    return sum(net.forward(x) for net in nets)  # HERE

train(nets, predict)
    """,
    "hooks": """
net = Net()
net.register_forward_hook(lambda module, args, out: out * 2)
train(net, lambda net, x: net.forward(x))  # HERE
    """,
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_finds_the_call(body: str, tmp_path: Path) -> None:
    findings, _, lines = watch(NET + body, tmp_path)
    (finding,) = (f for f in findings if f.severity != "note")
    assert finding.rule == "forward-called-directly"
    assert finding.line is not None and lines[finding.line].endswith("# HERE")
    assert finding.evidence["hooks_bypassed"] == ("register" in body)


GOOD = {
    "called": "train(Net(), lambda net, x: net(x))",
    "inside a module": "train(Sub(), lambda net, x: net(x))",
    "own method": "train(Net(), lambda net, x: net.predict(x))",
    "parts": "train(Net(), lambda net, x: net.head(net.layer(x)))",
    "own parameters": "train(Raw(), lambda net, x: net.predict(x))",
    "replaced": "net = Net()\nold = net.forward\nnet.forward = lambda x: old(x) * 2\ntrain(net, lambda net, x: net(x))",
    "wrapped": """
class Wrapper(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Net()

    def forward(self, x):
        def run(value):
            return self.inner.forward(value)
        return run(x)

train(Wrapper(), lambda net, x: net(x))
    """,
    "ensemble": """
class Ensemble(nn.Module):
    def __init__(self):
        super().__init__()
        self.members = nn.ModuleList([Net(), Net()])

    def forward(self, x):
        both = [member.forward(x) for member in self.members]
        return torch.stack(both).mean(0) + sum(member.forward(-x) for member in self.members)

train(Ensemble(), lambda net, x: net(x))
    """,
    "functional": "train(Net(), lambda net, x: torch.func.functional_call(net, dict(net.named_parameters()), (x,)))",
}


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD)
def test_silent(body: str, tmp_path: Path) -> None:
    findings, _, _ = watch(NET + body, tmp_path)
    assert "forward-called-directly" not in {f.rule for f in findings}


def test_nobody_listens_to_forwards_after_the_first_steps() -> None:
    original = nn.Module._call_impl
    with watching():
        assert nn.Module._call_impl is not original
        model = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(5):
            model(torch.randn(8, 4)).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
        assert nn.Module._call_impl is original


def test_compiled_programs_are_not_watched(tmp_path: Path) -> None:
    body = "net = torch.compile(Net(), backend='eager')\n"
    body += "assert '/surefoot/' not in torch.nn.Module._call_impl.__code__.co_filename\n"
    _, records, _ = watch(NET + body + "train(net, lambda net, x: net(x))", tmp_path)
    assert dict(end_of(records).probes_off)["forward"] == "torch.compile is in use"
