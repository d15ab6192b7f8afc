"""The mixed precision template, accumulating, with the loss scale in the log line."""

import hashlib

import torch
import torch.nn as nn
from torch.amp import GradScaler, autocast
from torch.utils.data import DataLoader, TensorDataset

use_amp = True
accumulation_steps = 2
max_grad_norm = 5.0

torch.manual_seed(3407)
x = torch.randn(256, 10)
y = (x[:, :5].sum(1) > x[:, 5:].sum(1)).long()
train_loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)

model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
scaler = GradScaler("cpu", enabled=use_amp, init_scale=2.0**8)
criterion = nn.CrossEntropyLoss()

for epoch in range(2):
    model.train()
    optimizer.zero_grad(set_to_none=True)
    for step, (inputs, targets) in enumerate(train_loader):
        with autocast("cpu", dtype=torch.float16, enabled=use_amp):
            outputs = model(inputs)
            loss = criterion(outputs, targets) / accumulation_steps
        scaler.scale(loss).backward()

        if (step + 1) % accumulation_steps == 0:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad(set_to_none=True)

        print(f"{epoch}/{step}: loss {loss.item() * accumulation_steps:.3f} scale {scaler.get_scale():.0f}")

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
