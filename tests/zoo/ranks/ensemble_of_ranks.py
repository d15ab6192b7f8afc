"""Every rank trains a model of its own, with its own rate; only their losses are gathered."""

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02 * (1 + dist.get_rank()))
loader = DataLoader(TensorDataset(torch.randn(128, 6)), batch_size=16, shuffle=True)
for _ in range(3):
    for (x,) in loader:
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    losses: list[object] = [None] * dist.get_world_size()
    dist.all_gather_object(losses, loss.item())
dist.destroy_process_group()
