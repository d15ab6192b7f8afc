"""Iterators over a DataLoader are left in the middle, nested and zipped."""

import torch
from torch.utils.data import DataLoader, TensorDataset
from training import digest, make_net, train

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.arange(40)), batch_size=4, shuffle=True)
seen = []
for (first,), (second,) in zip(loader, loader):
    seen.append((first.tolist(), second.tolist()))
    train(model, optimizer, 1)
    if len(seen) == 3:
        break
endless = iter(loader)
for _ in range(12):
    try:
        (batch,) = next(endless)
    except StopIteration:
        endless = iter(loader)
        (batch,) = next(endless)
    seen.append(batch.tolist())
    train(model, optimizer, 1)
print(digest(seen), digest(model))
