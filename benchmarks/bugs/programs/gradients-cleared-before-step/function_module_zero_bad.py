"""train_one_epoch as a function, gradients cleared through the module."""

import hashlib

import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset


def train_one_epoch(model, loader, optimizer, criterion):
    model.train()
    losses = []
    for x, y in loader:
        out = model(x)
        loss = criterion(out, y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        model.zero_grad()  # BUG: gradients-cleared-before-step
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


torch.manual_seed(2)
tokens = torch.randint(0, 30, (160, 6))
labels = (tokens.float().mean(dim=1) > 14.5).long()
loader = DataLoader(TensorDataset(tokens, labels), batch_size=16, shuffle=True)

model = nn.Sequential(nn.Embedding(30, 8), nn.Flatten(), nn.Linear(48, 2))
optimizer = optim.AdamW(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
for epoch in range(3):
    print(epoch, train_one_epoch(model, loader, optimizer, criterion))
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
