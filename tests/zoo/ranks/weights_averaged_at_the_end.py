"""Each rank trains on its part of the data, and the models are averaged once."""

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = TensorDataset(torch.randn(128, 6))
sampler = DistributedSampler(data)
for epoch in range(2):
    sampler.set_epoch(epoch)
    for (x,) in DataLoader(data, batch_size=16, sampler=sampler):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
flat = nn.utils.parameters_to_vector(model.parameters())
dist.all_reduce(flat)
nn.utils.vector_to_parameters(flat / dist.get_world_size(), model.parameters())
dist.destroy_process_group()
