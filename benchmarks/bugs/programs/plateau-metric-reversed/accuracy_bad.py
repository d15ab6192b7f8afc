"""ReduceLROnPlateau fed with the accuracy."""

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        accuracy = (model(x).argmax(1) == y).float().mean().item()
    model.train()
    return accuracy


torch.manual_seed(0)
weight = torch.randn(8, 3)
x, vx = torch.randn(320, 8), torch.randn(200, 8)
y, vy = (x @ weight).argmax(1), (vx @ weight).argmax(1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
    optimizer, patience=2, factor=0.5
)  # BUG: plateau-metric-reversed
for epoch in range(12):
    total = 0.0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item()
    accuracy = evaluate(model, vx, vy)
    scheduler.step(accuracy)  # BUG: plateau-metric-reversed
    print(f"epoch {epoch} loss {total / len(loader):.3f} acc {accuracy:.3f} lr {optimizer.param_groups[0]['lr']:.4g}")
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
