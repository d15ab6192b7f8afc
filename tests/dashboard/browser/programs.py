"""Real training, small: what the pages are tested with."""

TRAIN = """
import torch
import surefoot as sf
from torch import nn

torch.manual_seed({seed})
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr={lr})
sf.track("2.bias")
x = torch.randn(256, 8)
y = x[:, :4].argmax(1)
for step in range(1, 121):
    rows = torch.randint(256, (32,))
    loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
    {before}optimizer.zero_grad()
    loss.backward()
    {after}optimizer.zero_grad()
    optimizer.step()
    odd = float("nan") if step % 40 == 0 else float("inf") if step == 50 else step / 10
    sf.log({{"odd": odd}}, step=step)
    if step % 20 == 0:
        with torch.no_grad():
            held = nn.functional.cross_entropy(model(x), y).item()
        sf.log({{"val/loss": held, "val/acc": (model(x).argmax(1) == y).float().mean().item()}}, step=step)
"""

GOOD = TRAIN.format(seed=0, lr=1e-2, before="", after="# ")
BUGGY = TRAIN.format(seed=1, lr=1e-3, before="# ", after="")

LIVE = """
import sys
import surefoot as sf

with sf.start_run(name="growing"):
    for step, line in enumerate(sys.stdin, 1):  # a row for each line that the test writes
        sf.log({"loss": 1 / step, "pace": float(line)}, step=step)
"""

TRACED = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(16, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
model = nn.Sequential(*[layer for _ in range(5) for layer in (nn.Linear(4, 4), nn.Tanh())], nn.Linear(4, 1))
shift = nn.Parameter(torch.zeros(1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
other = torch.optim.Adam([shift], lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
for epoch in range(3):
    for i, (inputs, targets) in enumerate(loader):
        loss = nn.functional.mse_loss(model(inputs), targets) / 2
        loss.backward()
        if i % 2 == 1:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            (shift - 1).square().sum().backward()
            other.step()  # and its gradient is never cleared
    with torch.no_grad():
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
"""
