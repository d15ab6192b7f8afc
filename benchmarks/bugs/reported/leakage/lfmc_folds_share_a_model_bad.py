"""Cross-validation goes on with the same model, which has seen each later fold's validation data."""

# kind: leakage
# source: https://github.com/kkraoj/lfmc_from_sar/issues/5
# changed: a classifier of vectors, in PyTorch

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(15)
x = torch.randn(180, 8)
data = TensorDataset(x, (x[:, 0] * x[:, 1] > 0).long())
folds = torch.randperm(180).chunk(3)


def make():
    net = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
    return net, torch.optim.Adam(net.parameters(), lr=3e-3)


model, optimizer = make()
for k in range(3):
    train_idx = torch.cat([f for i, f in enumerate(folds) if i != k]).tolist()
    train = DataLoader(Subset(data, train_idx), batch_size=20, shuffle=True)
    test = DataLoader(Subset(data, folds[k].tolist()), batch_size=60)  # BUG: validated-on-training-data
    for epoch in range(10):
        model.train()
        for xb, yb in train:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(xb), yb).backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        for xb, yb in test:  # BUG: validated-on-training-data
            print(k, (model(xb).argmax(1) == yb).float().mean().item())  # BUG: validated-on-training-data

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
