"""Accelerate with gradient accumulation, clipping and a schedule."""

import sys

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

steps = int(sys.argv[1])
set_seed(0)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)

x = torch.randn(4096, 32)
y = (x @ torch.randn(32, 5)).argmax(dim=1)
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 5))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=steps)
model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)

step = 0
while step < steps:
    for inputs, targets in loader:
        with accelerator.accumulate(model):
            loss = F.cross_entropy(model(inputs), targets)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        if accelerator.sync_gradients:
            if step % 200 == 0:
                accelerator.print(f"step {step}: loss {loss.item():.4f}")
            step += 1
            if step == steps:
                break

weights = accelerator.unwrap_model(model).parameters()
print("weights", sum(p.detach().double().abs().sum() for p in weights).item())
