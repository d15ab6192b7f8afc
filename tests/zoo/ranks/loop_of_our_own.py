"""`sf.Loop` on two ranks with batches of different sizes: it weights them, and sums gradients in buckets."""

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import surefoot as sf

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
x = torch.randn(96, 6)
loader = DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=8 + 8 * dist.get_rank(), shuffle=True)
loop = sf.Loop(model, optimizer, accumulate=2, parallel="ddp", log=False)
for inputs, target in loop.batches(loader, epochs=3):
    with loop.step() as step:
        step.backward(nn.functional.cross_entropy(model(inputs), target))
loop.close()
dist.destroy_process_group()
