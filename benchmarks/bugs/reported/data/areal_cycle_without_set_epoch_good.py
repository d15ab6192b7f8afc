"""The generator tells the sampler of each epoch."""

# kind: data
# source: https://github.com/areal-project/AReaL/pull/632
# changed: one replica, and random vectors in place of prompts

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def cycle_dataloader(dataloader):
    epoch = 0
    dataloader.sampler.set_epoch(epoch)
    g = iter(dataloader)
    while True:
        try:
            yield next(g)
        except StopIteration:
            epoch += 1
            dataloader.sampler.set_epoch(epoch)
            g = iter(dataloader)


torch.manual_seed(0)
x = torch.randn(256, 6)
dataset = TensorDataset(x, x.prod(1).sign())
sampler = DistributedSampler(dataset, 1, 0, shuffle=True, drop_last=False)
batches = cycle_dataloader(DataLoader(dataset, batch_size=16, sampler=sampler))
model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for step in range(80):
    inputs, target = next(batches)
    loss = nn.functional.soft_margin_loss(model(inputs).squeeze(1), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
