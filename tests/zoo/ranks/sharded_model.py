"""FSDP2: each rank holds a part of every parameter, and averages over a different number of samples now and then."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
torch.manual_seed(0)
mesh = init_device_mesh("cpu", (2,))
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
for layer in (model[0], model[2]):
    fully_shard(layer, mesh=mesh)
fully_shard(model, mesh=mesh)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
data = TensorDataset(torch.randn(256, 6))
for (x,) in DataLoader(data, batch_size=16, sampler=DistributedSampler(data)):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)).backward()
    optimizer.step()
dist.destroy_process_group()
