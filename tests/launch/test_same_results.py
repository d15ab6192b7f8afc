"""Training under surefoot gives the same numbers, the same warnings and the same tracebacks."""

from pathlib import Path

from tests.cli.command import write
from tests.launch.same import run_both

TRAINING = """
import hashlib, random, sys
import numpy, torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

def digest(*things):
    text = b"".join(t.detach().numpy().tobytes() if isinstance(t, torch.Tensor) else repr(t).encode() for t in things)
    return hashlib.sha256(text).hexdigest()[:16]

def state(model, optimizer):
    values = [v for s in optimizer.state.values() for v in (s.values() if isinstance(s, dict) else [s])]
    return digest(*model.state_dict().values(), *values)

def seed():
    random.seed(1), numpy.random.seed(1), torch.manual_seed(1)

def classify(workers):
    seed()
    data = TensorDataset(torch.randn(96, 8), torch.randint(0, 3, (96,)))
    model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Dropout(0.3), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 18)
    for epoch in range(3):
        for i, (x, y) in enumerate(DataLoader(data, batch_size=16, shuffle=True, num_workers=workers)):
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=epoch == 1):
                loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad(set_to_none=i % 2 == 0)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            scheduler.step()
    model.eval()
    return state(model, optimizer)

def adversaries():
    seed()
    g, d = nn.Linear(4, 8), nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
    for_g, for_d = (torch.optim.Adam(m.parameters(), lr=1e-2) for m in (g, d))
    for _ in range(12):
        fake = g(torch.randn(8, 4))
        for_d.zero_grad()
        (d(fake.detach()).mean() - d(torch.randn(8, 8)).mean()).backward()
        for_d.step()
        for_g.zero_grad()
        (-d(fake).mean()).backward()
        for_g.step()
    return state(g, for_g), state(d, for_d)

def second_order():
    seed()
    model = nn.Linear(5, 1)
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5)
    x, y = torch.randn(32, 5), torch.randn(32, 1)
    def closure():
        optimizer.zero_grad()
        loss = functional.mse_loss(model(x), y)
        loss.backward()
        return loss
    losses = [optimizer.step(closure).item() for _ in range(4)]
    inputs = x.clone().requires_grad_()
    penalty = torch.autograd.grad(model(inputs).sum(), inputs, create_graph=True)[0].square().sum()
    penalty.backward()
    return state(model, optimizer), losses, digest(model.weight.grad)

print(classify(0), classify(2), adversaries(), second_order())
print(digest(torch.get_rng_state(), random.getstate(), numpy.random.get_state()))
print(torch.get_num_threads(), torch.is_grad_enabled(), torch.get_default_dtype(), torch.is_anomaly_enabled())
"""

# No module is called where something is raised: hooks on modules lead through other lines inside torch.
WARNINGS = """
import threading
import torch
from torch import nn
from torch.nn import functional

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
scheduler.step()
functional.mse_loss(model(torch.ones(3, 2)), torch.ones(3))
functional.kl_div(torch.zeros(2, 2), torch.zeros(2, 2))
functional.softmax(torch.zeros(2, 2))
torch.cuda.amp.GradScaler()
torch.amp.GradScaler("cuda")
nn.utils.clip_grad_norm(model.parameters(), 1.0)
torch.autograd.backward(model(torch.ones(3, 2)).sum(), grad_variables=torch.tensor(1.0))
model(torch.ones(3, 2)).sum().backward(create_graph=True)
scheduler.step(5)
list(torch.autograd.grad(model(torch.ones(3, 2)), [model.weight], torch.ones(3, 1)))

def deeper():
    optimizer.zero_grad()
    functional.l1_loss(model(torch.ones(3, 2)), torch.ones(3))
    model(torch.ones(3, 2)).mean().backward()
    try:
        torch.autograd.backward(torch.ones(1))
    except RuntimeError as error:
        raise ValueError("caught") from error

thread = threading.Thread(target=deeper)
thread.start()
thread.join()
try:
    deeper()
finally:
    functional.cross_entropy(torch.zeros(1, 2, requires_grad=True), torch.tensor([9])).backward()
"""


def test_results_are_the_same_to_the_bit(tmp_path: Path) -> None:
    write(tmp_path / "train.py", "import os; os.environ['OMP_NUM_THREADS'] = '2'\n" + TRAINING)
    added = run_both("train.py", cwd=tmp_path)
    assert "surefoot: 0 findings in " in added.err


def test_warnings_and_tracebacks_are_the_same(tmp_path: Path) -> None:
    write(tmp_path / "train.py", WARNINGS)
    added = run_both("train.py", cwd=tmp_path)
    assert added.status == 1
