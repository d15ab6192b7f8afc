"""The bugs of the loss family as people write them: each fires its rule, at its line."""

from pathlib import Path

import pytest

from tests.rules.twins import above_notes, watch_program

PREAMBLE = """import warnings
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
warnings.simplefilter("ignore")
torch.manual_seed(0)
X = torch.randn(48, 8)
LABELS = X[:, :4].argmax(1)
VALUES = X.sum(1)
def batches(y):
    return DataLoader(TensorDataset(X, y), batch_size=12, shuffle=True)
"""

LOOP = """
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for x, y in batches({y}):
        optimizer.zero_grad()
        {loss}
        loss.backward()
        optimizer.step()
"""


def looped(model: str, loss: str, y: str = "LABELS") -> str:
    return f"model = {model}\n" + LOOP.format(loss=loss, y=y)


BUGS = {
    "softmax-before-cross-entropy": {
        "at the end of a Sequential": looped(
            "nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4), nn.Softmax(-1))",
            "loss = nn.CrossEntropyLoss()(model(x), y)  # HERE",
        ),
        "written out with smoothed labels": looped(
            "nn.Sequential(nn.Linear(8, 4), nn.Softmax(-1))",
            """logs = F.log_softmax(model(x), -1)
        loss = -(0.9 * logs.gather(1, y[:, None])).mean()  # HERE""",
        ),
        "in forward of a class, trained by a Trainer": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 16)
        self.fc2 = nn.Linear(16, 4)
    def forward(self, x):
        h = torch.relu(self.fc1(x))
        return torch.softmax(self.fc2(h), dim=1)
class Trainer:
    def __init__(self, model):
        self.model = model
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    def training_step(self, x, y):
        out = self.model(x)
        return self.criterion(out, y)  # HERE
    def fit(self, loader, epochs):
        for _ in range(epochs):
            for x, y in loader:
                self.optimizer.zero_grad(set_to_none=True)
                loss = self.training_step(x, y)
                loss.backward()
                self.optimizer.step()
Trainer(Net()).fit(batches(LABELS), 2)
""",
        "reshaped, scaled down and accumulated": """
model = nn.Linear(8, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(12):
    probabilities = F.softmax(model(X.view(6, 8, 8)), dim=-1).reshape(-1, 4).clamp(1e-6, 1)
    loss = F.cross_entropy(probabilities, LABELS) / 2  # HERE
    loss.backward()
    if i % 2:
        optimizer.step()
        optimizer.zero_grad()
""",
        "one of two losses": looped(
            "nn.Linear(8, 4)",
            "out = model(x); loss = F.cross_entropy(F.softmax(out, 1), y) + 0.01 * out.pow(2).mean()  # HERE",
        ),
        "as the exponential of its logarithm": looped(
            "nn.Linear(8, 4)", "loss = F.cross_entropy(F.log_softmax(model(x), -1).exp(), y)  # HERE"
        ),
        "with soft targets": looped(
            "nn.Linear(8, 4)",
            "loss = F.cross_entropy(model(x).softmax(1), F.one_hot(y, 4).float())  # HERE",
        ),
        "with label smoothing": looped(
            "nn.Linear(8, 4)", "loss = F.cross_entropy(model(x).softmax(1), y, label_smoothing=0.1)  # HERE"
        ),
        "of images": """
model = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.Softmax(dim=1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(6):
    x = torch.randn(4, 1, 6, 6)
    loss = F.cross_entropy(model(x), (x[:, 0] > 0).long())  # HERE
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
        "updated by hand": """
w = torch.zeros(8, 4, requires_grad=True)
for i in range(6):
    loss = F.cross_entropy(torch.softmax(X @ w, dim=1), LABELS)  # HERE
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
""",
        "log_softmax of a softmax": looped(
            "nn.Sequential(nn.Linear(8, 4), nn.Softmax(dim=1), nn.LogSoftmax(dim=1))",
            "loss = F.nll_loss(model(x), y)  # HERE",
        ),
        "softmax by hand": looped(
            "nn.Linear(8, 4)",
            "e = model(x).exp(); loss = F.cross_entropy(e / e.sum(1, keepdim=True), y)  # HERE",
        ),
        "one softmax a step of a sequence": """
cell, head = nn.GRUCell(2, 8), nn.Linear(8, 4)
optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=0.01)
for i in range(6):
    h, outputs = torch.zeros(48, 8), []
    for t in range(4):
        h = cell(X[:, 2 * t : 2 * t + 2], h)
        outputs.append(F.softmax(head(h), dim=-1))
    out = torch.stack(outputs, dim=1)
    loss = F.cross_entropy(out.view(-1, 4), LABELS.repeat_interleave(4))  # HERE
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    },
    "logits-into-nll-loss": {
        "module": looped("nn.Linear(8, 4)", "loss = nn.NLLLoss()(model(x), y)  # HERE"),
        "probabilities": looped(
            "nn.Sequential(nn.Linear(8, 4), nn.Softmax(dim=1))", "loss = F.nll_loss(model(x), y)  # HERE"
        ),
        "softmax by hand": looped(
            "nn.Linear(8, 4)",
            "e = model(x).exp(); loss = F.nll_loss(e / e.sum(1, keepdim=True), y)  # HERE",
        ),
        "sequence": """
model = nn.Linear(8, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
criterion = nn.NLLLoss(ignore_index=-1)
def compute_loss(x, y):
    logits = model(x)
    return criterion(logits.view(-1, 4), y.view(-1))  # HERE
for i in range(6):
    optimizer.zero_grad()
    loss = compute_loss(X.view(6, 8, 8), LABELS)
    loss.backward()
    optimizer.step()
""",
    },
    "sigmoid-before-bce-with-logits": {
        "module": looped(
            "nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())",
            "loss = nn.BCEWithLogitsLoss()(model(x), y)  # HERE",
            "(VALUES > 0).float().unsqueeze(1)",
        ),
        "squeezed": looped(
            "nn.Linear(8, 1)",
            "p = torch.sigmoid(model(x)).squeeze(-1); loss = F.binary_cross_entropy_with_logits(p, y)  # HERE",
            "(VALUES > 0).float()",
        ),
        "multi-label": looped(
            "nn.Sequential(nn.Linear(8, 4), nn.Sigmoid())",
            "loss = F.binary_cross_entropy_with_logits(model(x), y, pos_weight=torch.ones(4))  # HERE",
            "(X[:, :4] > 0).float()",
        ),
    },
    "relu-before-loss": {
        "as a maximum": looped(
            "nn.Linear(8, 4)", "z = model(x); loss = F.cross_entropy(torch.maximum(torch.zeros_like(z), z), y)  # HERE"
        ),
        "classifier": looped(
            "nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4), nn.ReLU())",
            "loss = nn.CrossEntropyLoss()(model(x), y)  # HERE",
        ),
        "functional": looped("nn.Linear(8, 4)", "loss = F.cross_entropy(F.relu(model(x)), y)  # HERE"),
        "clamped": looped("nn.Linear(8, 4)", "loss = F.cross_entropy(model(x).clamp(min=0), y)  # HERE"),
        "binary": looped(
            "nn.Sequential(nn.Linear(8, 1), nn.ReLU())",
            "loss = F.binary_cross_entropy_with_logits(model(x).squeeze(1), y)  # HERE",
            "(VALUES > 0).float()",
        ),
    },
    "loss-shape-broadcast": {
        "pooled map": looped(
            "nn.Sequential(nn.Unflatten(1, (2, 2, 2)), nn.Conv2d(2, 3, 1), nn.AdaptiveAvgPool2d(1))",
            "loss = nn.SmoothL1Loss()(model(x), y)  # HERE",
            "torch.randn(48, 3)",
        ),
        "pooled map, by hand": looped(
            "nn.Sequential(nn.Unflatten(1, (2, 2, 2)), nn.Conv2d(2, 3, 1), nn.AdaptiveAvgPool2d(1))",
            "loss = (y - model(x)).pow(2).mean()  # HERE",
            "torch.randn(48, 3)",
        ),
        "target expanded before": looped(
            "nn.Linear(8, 1)", "t = y + 0.9 * x.sum(1); loss = F.mse_loss(model(x), t)  # HERE", "VALUES[:, None]"
        ),
        "target expanded before, l1": looped(
            "nn.Linear(8, 1)", "t = y * x.sum(1); loss = F.l1_loss(model(x), t)  # HERE", "VALUES[:, None]"
        ),
        "target expanded before, one dimension": looped(
            "nn.Sequential(nn.Linear(8, 1), nn.Flatten(0))",
            "t = y + x.sum(1) * (y > 0); loss = F.huber_loss(model(x), t)  # HERE",
            "VALUES[:, None]",
        ),
        "target expanded before, by hand": looped(
            "nn.Linear(8, 1)",
            "t = y + x.sum(1) * (y > 0); loss = ((t - model(x)) ** 2).mean()  # HERE",
            "VALUES[:, None]",
        ),
        "log-cosh, shifted": looped(
            "nn.Linear(8, 1)", "loss = torch.log(torch.cosh(model(x) - y + 1e-12)).mean()  # HERE", "VALUES"
        ),
        "log-cosh by softplus": looped(
            "nn.Linear(8, 1)", "e = model(x) - y; loss = (e + F.softplus(-2 * e) - 0.69).mean()  # HERE", "VALUES"
        ),
        "log-cosh by logaddexp": looped(
            "nn.Linear(8, 1)", "e = model(x) - y; loss = torch.logaddexp(e, -e).mean()  # HERE", "VALUES"
        ),
        "of a quantile": looped(
            "nn.Linear(8, 1)",
            "e = y - model(x); loss = torch.maximum(0.9 * e, -0.1 * e).mean()  # HERE",
            "VALUES",
        ),
        "Huber's, written out": looped(
            "nn.Linear(8, 1)",
            "e = (y - model(x)).abs(); loss = torch.where(e < 1, 0.5 * e * e, e - 0.5).mean()  # HERE",
            "VALUES",
        ),
        "module": looped("nn.Linear(8, 1)", "loss = nn.MSELoss()(model(x), y)  # HERE", "VALUES"),
        "target with a dimension too many": looped(
            "nn.Sequential(nn.Linear(8, 1), nn.Flatten(0))", "loss = F.mse_loss(model(x), y)  # HERE", "VALUES[:, None]"
        ),
        "turned target": looped(
            "nn.Sequential(nn.Linear(8, 1), nn.Flatten(0))",
            "loss = F.mse_loss(model(x), y.unsqueeze(1))  # HERE",
            "VALUES",
        ),
        "l1": looped("nn.Linear(8, 1)", "loss = F.l1_loss(model(x), y)  # HERE", "VALUES"),
        "smooth l1": looped("nn.Linear(8, 1)", "loss = nn.SmoothL1Loss()(model(x), y)  # HERE", "VALUES"),
        "huber": looped("nn.Linear(8, 1)", "loss = F.huber_loss(model(x), y)  # HERE", "VALUES"),
        "by hand": looped("nn.Linear(8, 1)", "loss = torch.mean((y - model(x)) ** 2)  # HERE", "VALUES"),
        "by hand, squeezed": looped(
            "nn.Linear(8, 1)", "loss = (model(x).squeeze() - y).abs().mean()  # HERE", "VALUES[:, None]"
        ),
        "by hand, product": looped("nn.Linear(8, 1)", "e = model(x) - y; loss = (e * e).mean()  # HERE", "VALUES"),
        "root of the mean": looped(
            "nn.Linear(8, 1)", "loss = torch.sqrt(((model(x) - y) ** 2).mean())  # HERE", "VALUES"
        ),
        "half the sum": looped(
            "nn.Linear(8, 1)", "loss = 0.5 * (model(x) - y).pow(2).sum() / len(x)  # HERE", "VALUES"
        ),
        "in a function": """
def mse(prediction, target):
    return ((prediction - target) ** 2).mean()  # HERE
"""
        + looped("nn.Linear(8, 1)", "loss = mse(model(x), y)", "VALUES"),
        "with a penalty": looped(
            "nn.Linear(8, 1)",
            "loss = ((model(x) - y) ** 2).mean() + 1e-4 * sum(p.pow(2).sum() for p in model.parameters())  # HERE",
            "VALUES",
        ),
        "not reduced by torch": looped(
            "nn.Linear(8, 1)", "loss = F.mse_loss(model(x), y, reduction='none').mean()  # HERE", "VALUES"
        ),
        "weighted samples": looped(
            "nn.Linear(8, 1)", "w = torch.rand(len(x)); loss = (w * (model(x) - y) ** 2).mean()  # HERE", "VALUES"
        ),
        "sum over outputs first": looped(
            "nn.Linear(8, 1)", "loss = ((model(x) - y) ** 2).sum(dim=1).mean()  # HERE", "VALUES"
        ),
        "log-cosh": looped("nn.Linear(8, 1)", "loss = torch.log(torch.cosh(model(x) - y)).mean()  # HERE", "VALUES"),
        "norm": looped("nn.Linear(8, 1)", "loss = torch.norm(model(x) - y)  # HERE", "VALUES"),
        "gaussian likelihood": looped(
            "nn.Linear(8, 2)",
            "mu, s = model(x).split(1, 1); loss = (0.5 * (y - mu) ** 2 / s.exp() + 0.5 * s).mean()  # HERE",
            "VALUES",
        ),
        "poisson": looped("nn.Linear(8, 1)", "loss = nn.PoissonNLLLoss()(model(x), y.abs())  # HERE", "VALUES"),
        "binary cross-entropy by hand": looped(
            "nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())",
            "p = model(x); loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()  # HERE",
            "(VALUES > 0).float()",
        ),
        "policy gradient": """
actor, critic = nn.Linear(8, 4), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)
for i in range(6):
    policy = torch.distributions.Categorical(logits=actor(X))
    action = policy.sample()
    value = critic(X)
    advantage = (VALUES[:, None] - value).detach()
    actor_loss = -(policy.log_prob(action) * advantage).mean()  # HERE
    loss = actor_loss + F.mse_loss(value, VALUES[:, None])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
        "critic": """
actor, critic = nn.Linear(8, 4), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)
for i in range(6):
    policy = torch.distributions.Categorical(logits=actor(X))
    action = policy.sample()
    value = critic(X)
    advantage = VALUES - value.squeeze(1).detach()
    critic_loss = (VALUES - value).pow(2).mean()  # HERE
    loss = 0.5 * critic_loss - (policy.log_prob(action) * advantage).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    },
    "softmax-over-batch": {
        "last moment of a sequence": looped(
            "nn.Linear(8, 4)",
            "z = model(x[None].expand(3, -1, -1)); loss = F.nll_loss(F.log_softmax(z, -2)[-1], y)  # HERE",
        ),
        "picked out by gather": looped(
            "nn.Linear(8, 4)",
            "p = model(x).softmax(0); loss = -p.gather(1, y[:, None]).squeeze(1).clamp(1e-9).log().mean()  # HERE",
        ),
        "module": looped(
            "nn.Sequential(nn.Linear(8, 4), nn.LogSoftmax(dim=0))", "loss = nn.NLLLoss()(model(x), y)  # HERE"
        ),
        "negative dimension": looped(
            "nn.Linear(8, 4)", "loss = F.nll_loss(F.log_softmax(model(x), dim=-2), y)  # HERE"
        ),
        "log of softmax": looped(
            "nn.Sequential(nn.Linear(8, 4), nn.Softmax(dim=0))",
            "loss = F.nll_loss(torch.log(model(x) + 1e-9), y)  # HERE",
        ),
        "picked by index": looped(
            "nn.Linear(8, 4)",
            "p = torch.softmax(model(x), dim=0); loss = -torch.log(p[torch.arange(len(x)), y]).mean()  # HERE",
        ),
        "gathered": looped(
            "nn.Linear(8, 4)",
            "loss = -F.log_softmax(model(x), 0).gather(1, y.view(-1, 1)).mean()  # HERE",
        ),
        "one-hot": looped(
            "nn.Linear(8, 4)",
            "loss = -(F.one_hot(y, 4) * F.log_softmax(model(x), dim=0)).sum(1).mean()  # HERE",
        ),
        "with BCE": looped(
            "nn.Sequential(nn.Linear(8, 4), nn.Softmax(dim=0))",
            "loss = nn.BCELoss()(model(x), F.one_hot(y, 4).float())  # HERE",
        ),
    },
    "kl-input-not-log": {
        "probabilities": looped(
            "nn.Linear(8, 4)",
            "loss = nn.KLDivLoss(reduction='batchmean')(F.softmax(model(x), 1), F.softmax(x[:, :4], 1))  # HERE",
        ),
        "logits": looped(
            "nn.Linear(8, 4)", "loss = F.kl_div(model(x), F.softmax(x[:, :4], 1), reduction='batchmean')  # HERE"
        ),
        "arguments swapped": looped(
            "nn.Linear(8, 4)",
            "loss = F.kl_div(x[:, :4].softmax(1), F.log_softmax(model(x), 1).exp(), reduction='sum')  # HERE",
        ),
        "distillation": looped(
            "nn.Linear(8, 4)",
            "out = model(x); loss = F.cross_entropy(out, y) + F.kl_div(out.softmax(1), x[:, :4].softmax(1))  # HERE",
        ),
    },
    "loss-detached-from-model": {
        "forward without gradients": """
model = nn.Linear(8, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(5):
    with torch.no_grad():
        out = model(X)
    loss = F.cross_entropy(out, LABELS)  # HERE
    loss.requires_grad_(True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
        "item": looped(
            "nn.Linear(8, 4)",
            "loss = F.cross_entropy(model(x), y); loss = torch.tensor(loss.item(), requires_grad=True)  # HERE",
        ),
        "detach": looped(
            "nn.Linear(8, 4)",
            "error = F.cross_entropy(model(x), y); loss = error.detach().requires_grad_(True)  # HERE",
        ),
        "data": looped(
            "nn.Linear(8, 4)",
            "e = F.cross_entropy(model(x), y); loss = torch.autograd.Variable(e.data, requires_grad=True)  # HERE",
        ),
        "detached output": looped(
            "nn.Linear(8, 4)",
            "out = model(x).detach().requires_grad_(); loss = F.cross_entropy(out, y)  # HERE",
        ),
        "through numpy": looped(
            "nn.Linear(8, 4)",
            "out = torch.tensor(model(x).detach().numpy(), requires_grad=True); loss = F.cross_entropy(out, y)  # HERE",
        ),
        "list of losses": looped(
            "nn.Linear(8, 4)",
            "e = F.cross_entropy(model(x), y); loss = torch.tensor([e, e / 2], requires_grad=True).sum()  # HERE",
        ),
    },
    "single-class-cross-entropy": {
        "index targets": looped(
            "nn.Linear(8, 1)", "loss = nn.CrossEntropyLoss()(model(x), y)  # HERE", "torch.zeros(48, dtype=torch.long)"
        ),
        "float targets": looped(
            "nn.Linear(8, 1)", "loss = nn.CrossEntropyLoss()(model(x), y)  # HERE", "(VALUES > 0).float()[:, None]"
        ),
    },
    "no-valid-targets": {
        "always": looped("nn.Linear(8, 4)", "loss = F.cross_entropy(model(x), y)  # HERE", "torch.full((48,), -100)"),
        "padding of its own": looped(
            "nn.Linear(8, 4)",
            "loss = nn.CrossEntropyLoss(ignore_index=0)(model(x), y)  # HERE",
            "torch.zeros(48, dtype=torch.long)",
        ),
    },
    "class-index-regression": {
        "l1 of expanded labels": looped(
            "nn.Linear(8, 4)", "loss = F.l1_loss(model(x), y.float().view(-1, 1).expand(-1, 4))  # HERE"
        ),
        "module": looped("nn.Linear(8, 4)", "loss = nn.MSELoss()(model(x), y.unsqueeze(1).float())  # HERE"),
        "highest score": looped("nn.Linear(8, 4)", "loss = F.mse_loss(model(x).max(1).values, y.float())  # HERE"),
    },
    "initial-loss-off": {
        "raw pixels": """
model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 4))
nn.init.normal_(model[2].weight, std=1.0)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
for i in range(6):
    x = torch.randint(0, 256, (16, 64)).float()
    loss = F.cross_entropy(model(x), x[:, :4].argmax(1))  # HERE
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    },
    "non-finite-loss": {
        "log of zero": looped(
            "nn.Linear(8, 4)",
            "out = model(x); loss = F.cross_entropy(out, y) + torch.log(torch.zeros(1)).sum()  # HERE",
        ),
        "target": looped("nn.Linear(8, 1)", "loss = F.mse_loss(model(x), torch.log(y))  # HERE", "-torch.ones(48, 1)"),
    },
}
ALSO = {("non-finite-loss", "target"): {"non-finite-step"}}
CASES = [(rule, name) for rule, bugs in BUGS.items() for name in bugs]


@pytest.mark.parametrize(("rule", "name"), CASES, ids=[f"{rule}: {name}" for rule, name in CASES])
def test_bug_is_found_at_its_line(rule: str, name: str, tmp_path: Path) -> None:
    code = PREAMBLE + BUGS[rule][name]
    findings, _ = watch_program(code, tmp_path / "program.py")
    line = next(i for i, text in enumerate(code.split("\n"), 1) if "# HERE" in text)
    assert (rule, line) in {(f.rule, f.line) for f in findings}
    assert above_notes(findings) <= {rule} | ALSO.get((rule, name), set())
