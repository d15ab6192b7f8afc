"""After the training one rank goes on alone with the inner module, and evaluates it."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(8):
    x = torch.randn(16, 6)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
if dist.get_rank() == 0:
    inner = model.module
    last = torch.optim.SGD(inner.parameters(), lr=0.01)
    for _ in range(8):
        x = torch.randn(16, 6)
        last.zero_grad()
        nn.functional.mse_loss(inner(x), x.sum(1, keepdim=True)).backward()
        last.step()
dist.barrier()
dist.destroy_process_group()
