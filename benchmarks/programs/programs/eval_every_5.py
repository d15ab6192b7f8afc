"""Training with an evaluation every five steps, and the best weights kept."""

import copy
import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)

x = torch.randn(2048, 16)
y = x[:, :4].argmax(dim=1)
x_val, y_val = x[-256:], y[-256:]
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
best, best_state = float("inf"), None


@torch.no_grad()
def evaluate():
    model.eval()
    loss = F.cross_entropy(model(x_val), y_val).item()
    model.train()
    return loss


model.train()
for step in range(steps):
    batch = torch.randint(0, len(x) - 256, (32,))
    loss = F.cross_entropy(model(x[batch]), y[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 4:
        val_loss = evaluate()
        if val_loss < 0.95 * best:
            best, best_state = val_loss, copy.deepcopy(model.state_dict())
        if step % 500 == 4:
            print(f"step {step}: train {loss.item():.4f}, validation {val_loss:.4f}")

if best_state is not None:
    model.load_state_dict(best_state)
print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
