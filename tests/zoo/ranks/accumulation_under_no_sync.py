"""Windows of three micro-batches, the short one at the end too; the inner module is evaluated and averaged."""

import contextlib
import copy

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
torch.manual_seed(1)
model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 3)))
averaged = copy.deepcopy(model.module)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
data = TensorDataset(torch.randn(160, 6))
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=16, sampler=sampler)
window = 3
for epoch in range(3):
    sampler.set_epoch(epoch)
    model.train()
    for i, (x,) in enumerate(loader):
        last = i % window == window - 1 or i == len(loader) - 1
        with contextlib.nullcontext() if last else model.no_sync():
            loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
            (loss / window).backward()
        if last:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            with torch.no_grad():
                for slow, fast in zip(averaged.parameters(), model.module.parameters(), strict=True):
                    slow.lerp_(fast, 0.1)
    model.eval()
    with torch.no_grad():
        accuracy = (model.module(data.tensors[0]).argmax(1) == data.tensors[0][:, :3].argmax(1)).float().mean()
    dist.all_reduce(accuracy)
dist.destroy_process_group()
