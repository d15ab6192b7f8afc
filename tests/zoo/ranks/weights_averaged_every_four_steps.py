"""Local SGD: synchronised at first, then each rank steps alone and weights are averaged now and then."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def train(x: torch.Tensor) -> None:
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()


def train_alone(num_steps: int) -> None:
    with model.no_sync():
        for step in range(1, num_steps + 1):
            train(torch.randn(16, 6))
            if step % 4 == 0:
                for param in model.parameters():
                    dist.all_reduce(param.data)
                    param.data /= dist.get_world_size()


for _ in range(6):
    train(torch.randn(16, 6))
train_alone(24)
for _ in range(6):
    train(torch.randn(16, 6))
train_alone(10)
dist.destroy_process_group()
