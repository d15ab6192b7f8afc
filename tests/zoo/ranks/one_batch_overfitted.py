"""All ranks fit one batch, to see whether the model can."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(0)
model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1)))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(32, 6)
for _ in range(20):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
dist.destroy_process_group()
