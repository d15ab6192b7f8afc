"""DDP in one process: no_sync inside the window, the last micro-batch synchronises."""

import contextlib

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
window = 3
for _ in range(8):
    for i in range(window):
        x = torch.randn(16, 6)
        last = i == window - 1
        with contextlib.nullcontext() if last else model.no_sync():
            loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
            (loss / window).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
