"""Bugs of this family in the styles people write them: the right rule, at the right line, and no other."""

from pathlib import Path

import pytest

from tests.rules.twins import watch_program

HEAD = """
import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU())
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.body(x))


def batch():
    x = torch.randn(16, 8)
    return x, x[:, :3].argmax(1)


def train(model, optimizer, steps=8):
    for _ in range(steps):
        x, y = batch()
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()

"""

MISSING = {
    "head": """
model = Net()
optimizer = torch.optim.Adam(model.body.parameters(), lr=1e-3)  # BUG
train(model, optimizer)
""",
    "last two parameters": """
model = Net()
optimizer = torch.optim.SGD(list(model.parameters())[:-2], lr=1e-2, momentum=0.9)  # BUG
train(model, optimizer)
""",
    "head replaced after the optimizer was made": """
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # BUG
model.head = nn.Linear(16, 3)
train(model, optimizer, steps=5)
""",
    "layer made at the first forward": """
class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 16)
        self.head = None

    def forward(self, x):
        h = self.body(x).relu()
        if self.head is None:
            self.head = nn.Linear(h.shape[1], 3)
        return self.head(h)

model = Lazy()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # BUG
train(model, optimizer)
""",
    "encoder of an autoencoder": """
encoder = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
decoder = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8))
optimizer = torch.optim.Adam(decoder.parameters(), lr=1e-3)  # BUG
for _ in range(8):
    x, _ = batch()
    optimizer.zero_grad()
    F.mse_loss(decoder(encoder(x)), x).backward()
    optimizer.step()
""",
    "second tower": """
left, right = nn.Linear(8, 4), nn.Linear(8, 4)
optimizer = torch.optim.Adam(left.parameters(), lr=1e-3)  # BUG
for _ in range(8):
    x, _ = batch()
    logits = F.normalize(left(x), dim=1) @ F.normalize(right(x), dim=1).T
    optimizer.zero_grad()
    F.cross_entropy(logits, torch.arange(16)).backward()
    optimizer.step()
""",
    "learned noise": """
model, log_sigma = nn.Linear(8, 1), nn.Parameter(torch.zeros(1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # BUG
for _ in range(8):
    x, _ = batch()
    error = model(x) - x.sum(1, keepdim=True)
    optimizer.zero_grad()
    (error.pow(2) * torch.exp(-2 * log_sigma) / 2 + log_sigma).mean().backward()
    optimizer.step()
""",
    "value head in a trainer": """
class Trainer:
    def __init__(self):
        self.trunk = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
        self.policy, self.value = nn.Linear(32, 3), nn.Linear(32, 1)
        self.optimizer = torch.optim.Adam([*self.trunk.parameters(), *self.policy.parameters()], lr=1e-3)  # BUG

    def step(self):
        x, y = batch()
        h = self.trunk(x)
        loss = F.cross_entropy(self.policy(h), y) + 0.5 * F.mse_loss(self.value(h).squeeze(1), x.sum(1))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

trainer = Trainer()
for _ in range(8):
    trainer.step()
""",
    "bias among bare tensors": """
w, b = torch.randn(8, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.05)  # BUG
for _ in range(8):
    x, _ = batch()
    optimizer.zero_grad()
    F.mse_loss(x @ w + b, x.sum(1, keepdim=True) + 3).backward()
    optimizer.step()
""",
    "an optimizer that is never stepped": """
model = Net()
optimizer = torch.optim.Adam(model.body.parameters(), lr=1e-3)
other = torch.optim.Adam(model.head.parameters(), lr=1e-2)  # BUG
for _ in range(8):
    x, y = batch()
    optimizer.zero_grad()
    other.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
""",
}

STALE = {
    "made again": """
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # BUG
model = Net()
train(model, optimizer)
""",
    "copied in a trainer": """
class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = copy.deepcopy(model), optimizer

def main():
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)  # BUG
    trainer = Trainer(model, optimizer)
    train(trainer.model, trainer.optimizer, steps=4)

main()
""",
    "best model taken up in the middle": """
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # BUG
train(model, optimizer)
model = copy.deepcopy(model)
train(model, optimizer)
""",
    "weights assigned on loading": """
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # BUG
model.load_state_dict(Net().state_dict(), assign=True)
train(model, optimizer)
""",
}

HIDDEN = {
    "list filled in a loop": """
class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 16)
        self.layers = []  # BUG
        for _ in range(2):
            self.layers.append(nn.Linear(16, 16))
        self.last = nn.Linear(16, 3)

    def forward(self, x):
        x = self.first(x)
        for layer in self.layers:
            x = layer(x).relu()
        return self.last(x)

model = Deep()
train(model, torch.optim.Adam(model.parameters(), lr=1e-3))
""",
    "dict of heads": """
class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 16)
        self.heads = {"a": nn.Linear(16, 3), "b": nn.Linear(16, 3)}  # BUG

    def forward(self, x):
        h = self.body(x).relu()
        return self.heads["a"](h) + self.heads["b"](h)

model = Heads()
train(model, torch.optim.Adam(model.parameters(), lr=1e-3))
""",
    "plain tensor": """
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 3)
        self.scale = torch.ones(3, requires_grad=True)  # BUG

    def forward(self, x):
        return self.fc(x) * self.scale

model = Scaled()
train(model, torch.optim.Adam(model.parameters(), lr=1e-3))
""",
    "made in forward": """
class Passing(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 3)

    def forward(self, x):
        middle = nn.Linear(16, 16)  # BUG
        return self.last(middle(self.first(x)))

model = Passing()
train(model, torch.optim.Adam(model.parameters(), lr=1e-3))
""",
}

REPLACED = {
    "weight clamped into a new parameter": """
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(10):
    train(model, optimizer, steps=1)
    if step == 4:
        model.head.weight = nn.Parameter(model.head.weight.detach().clamp(-0.1, 0.1))  # BUG
""",
    "head reset by a new layer": """
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
train(model, optimizer)
model.head = nn.Linear(16, 3)  # BUG
train(model, optimizer)
""",
}

MISSPELLED = {
    "on parameters, in a function": """
def freeze(module):
    for name, param in module.named_parameters():
        if "weight" in name:
            param.require_grad = False  # BUG

model = Net()
freeze(model.body)
train(model, torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-3))
""",
    "on a module": """
model = Net()
for p in model.head.parameters():
    p.requires_grad = True
model.body.requires_grad = False  # BUG
train(model, torch.optim.Adam(model.parameters(), lr=1e-3))
""",
    "in the middle of training": """
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
train(model, optimizer, steps=5)
for p in model.body.parameters():
    p.requires_grads = False  # BUG
train(model, optimizer, steps=5)
""",
}

RECREATED = {
    "each epoch, in a function": """
def epoch(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)  # BUG
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()

x = torch.randn(64, 8)
loader = DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=16, shuffle=True)
model = Net()
for _ in range(3):
    epoch(model, loader)
""",
    "each epoch, with a lower rate": """
model = Net()
for epoch in range(5):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2 * 0.9**epoch)  # BUG
    train(model, optimizer, steps=4)
""",
}

OTHERS = {
    "parameter-in-two-optimizers": """
encoder, left, right = nn.Linear(8, 16), nn.Linear(16, 3), nn.Linear(16, 1)
first = torch.optim.Adam([*encoder.parameters(), *left.parameters()], lr=1e-3)
second = torch.optim.Adam([*encoder.parameters(), *right.parameters()], lr=1e-3)  # BUG
for _ in range(8):
    x, y = batch()
    h = encoder(x).relu()
    first.zero_grad()
    second.zero_grad()
    (F.cross_entropy(left(h), y) + F.mse_loss(right(h).squeeze(1), x.sum(1))).backward()
    first.step()
    second.step()
""",
    "nearly-all-frozen": """
model = nn.Sequential(nn.Linear(8, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Linear(128, 128), nn.Linear(128, 3))
for module in model:
    if isinstance(module, nn.Linear):
        module.requires_grad_(False)  # BUG
train(model, torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-3))
""",
    "frozen-parameter-moves": """
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
for step in range(12):
    if step == 5:
        model.body.requires_grad_(False)
    x, y = batch()
    for p in model.parameters():
        if p.requires_grad:
            p.grad = None
    F.cross_entropy(model(x), y).backward()
    optimizer.step()  # BUG
""",
    "zero-learning-rate": """
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: epoch // 10)  # BUG
for _ in range(3):
    train(model, optimizer)
    schedule.step()
""",
}

ZERO = {
    "warm-up from zero, advanced per epoch": """
x = torch.randn(64, 8)
loader = DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=16, shuffle=True)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
warm_up = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: min(1.0, epoch / 3))  # BUG
for _ in range(4):
    for inputs, targets in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(inputs), targets).backward()
        optimizer.step()
    warm_up.step()
""",
}

BUGS = [
    *[("zero-learning-rate", code, name) for name, code in ZERO.items()],
    *[("parameters-not-in-optimizer", code, name) for name, code in MISSING.items()],
    *[("optimizer-holds-stale-parameters", code, name) for name, code in STALE.items()],
    *[("unregistered-module", code, name) for name, code in HIDDEN.items()],
    *[("parameter-replaced", code, name) for name, code in REPLACED.items()],
    *[("misspelled-requires-grad", code, name) for name, code in MISSPELLED.items()],
    *[("optimizer-recreated", code, name) for name, code in RECREATED.items()],
    *[(rule, code, rule) for rule, code in OTHERS.items()],
]


@pytest.mark.parametrize(("rule", "code"), [bug[:2] for bug in BUGS], ids=[bug[2] for bug in BUGS])
def test_the_right_rule_at_the_right_line(rule: str, code: str, tmp_path: Path) -> None:
    program = HEAD + code
    findings, _ = watch_program(program, tmp_path / "program.py")
    (line,) = [number for number, text in enumerate(program.splitlines(), 1) if "# BUG" in text]
    assert [(f.rule, f.line) for f in findings if f.severity != "note"] == [(rule, line)]
