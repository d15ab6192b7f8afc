"""Each source is split before it is repeated."""

# kind: leakage
# source: https://github.com/MakazhanAlpamys/Soup/issues/680
# changed: two sources of random rows in place of chats

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader


def cycle_to(rows, size):
    return [rows[i % len(rows)] for i in range(size)]


def interleave(sources):
    size = max(map(len, sources))
    return [row for rows in zip(*(cycle_to(source, size) for source in sources)) for row in rows]


def split(rows, share=0.1):
    cut = int(len(rows) * (1 - share))
    return rows[:cut], rows[cut:]


torch.manual_seed(0)
a = [(row, row.sum().sign().clamp(min=0)) for row in torch.randn(200, 5)]
b = [(row, row[0].sign().clamp(min=0)) for row in torch.randn(40, 5) + 1]
train_set, val_set = map(interleave, zip(split(a), split(b)))
loader = DataLoader(train_set, batch_size=24, shuffle=True)
val_loader = DataLoader(val_set, batch_size=40)
model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
for epoch in range(5):
    model.train()
    for x, y in loader:
        loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        losses = [nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y).item() for x, y in val_loader]
    print(epoch, sum(losses) / len(losses))
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
