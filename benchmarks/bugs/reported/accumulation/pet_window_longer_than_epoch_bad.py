"""The counter of micro-batches starts again in every epoch, and an epoch is shorter than the window."""

# kind: accumulation
# source: https://github.com/timoschick/pet/pull/25
# changed: a classifier of random vectors on eight examples in place of a language model

import hashlib
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(48, 6)
y = (x.sum(1) > 0).long()
train_dataloader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
gradient_accumulation_steps = 4
for epoch in range(40):
    for step, (inputs, labels) in enumerate(train_dataloader):  # BUG: window-lost-at-epoch-end, optimizer-never-steps
        model.train()
        loss = F.cross_entropy(model(inputs), labels)
        loss = loss / gradient_accumulation_steps
        loss.backward()  # BUG: window-lost-at-epoch-end, optimizer-never-steps
        if (step + 1) % gradient_accumulation_steps == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            model.zero_grad()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
