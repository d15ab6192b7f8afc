"""Accelerate."""

import sys

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from surefoot.integrations.accelerate import SurefootTracker

torch.manual_seed(0)
x = torch.randn(320, 10)
data = DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
accelerator = Accelerator(cpu=True, log_with=SurefootTracker(stop_on=sys.argv[1] if len(sys.argv) > 1 else None))
accelerator.init_trackers("digits", config={"width": 32})
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
model, optimizer, data = accelerator.prepare(model, optimizer, data)
step = 0
for _ in range(3):
    for inputs, targets in data:
        loss = nn.functional.cross_entropy(model(inputs), targets)
        accelerator.backward(loss)
        optimizer.step()  # FUNCTION
        accelerator.log({"train_loss": loss.item()}, step=step)
        step += 1
accelerator.end_training()
