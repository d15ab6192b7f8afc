"""Two stages of one model on two ranks: outputs go one way, their gradients the other."""

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
torch.manual_seed(0)
rank = dist.get_rank()
data = TensorDataset(torch.randn(256, 6))
sampler = DistributedSampler(data)  # both stages know how many batches there are
stage = nn.Sequential(nn.Linear(6, 24), nn.ReLU()) if rank == 0 else nn.Linear(24, 3)
optimizer = torch.optim.SGD(stage.parameters(), lr=0.05)
for (x,) in DataLoader(data, batch_size=16, sampler=sampler):
    optimizer.zero_grad()
    if rank == 0:
        hidden = stage(x)
        dist.send(hidden.detach(), 1)
        gradient = torch.empty_like(hidden)
        dist.recv(gradient, 1)
        hidden.backward(gradient)
    else:
        hidden = torch.empty(16, 24)
        dist.recv(hidden, 0)
        hidden.requires_grad_()
        nn.functional.cross_entropy(stage(hidden), x[:, :3].argmax(1)).backward()
        dist.send(hidden.grad, 0)
    optimizer.step()
dist.destroy_process_group()
