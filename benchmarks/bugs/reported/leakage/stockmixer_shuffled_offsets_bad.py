"""Offsets up to the end of the training days are shuffled before the last ones are left out."""

# kind: leakage
# source: https://github.com/SJTU-DMTai/StockMixer/issues/10
# changed: a random walk of few stocks; validation follows the training days
# gap: no DataLoader: which days are trained on is known from that alone

import hashlib

import numpy as np
import torch
from torch import nn

np.random.seed(32)
torch.manual_seed(32)
lookback, steps, valid_index, test_index = 8, 1, 200, 260
prices = torch.randn(6, test_index).cumsum(1) / 5


def get_batch(offset):
    return prices[:, offset : offset + lookback], prices[:, offset + lookback + steps - 1 : offset + lookback + steps]


def validate(model, start, end):
    model.eval()
    with torch.no_grad():
        losses = [nn.functional.mse_loss(model(a), b) for a, b in map(get_batch, range(start - lookback, end - lookback))]
    model.train()
    return torch.stack(losses).mean().item()


model = nn.Sequential(nn.Linear(lookback, 32), nn.Hardswish(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
batch_offsets = np.arange(start=0, stop=valid_index, dtype=int)
for epoch in range(6):
    np.random.shuffle(batch_offsets)
    for j in range(valid_index - lookback - steps + 1):
        data, target = get_batch(batch_offsets[j])
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(data), target)  # BUG: validated-on-training-data
        loss.backward()
        optimizer.step()
    print(epoch, loss.item(), validate(model, valid_index, test_index))  # BUG: validated-on-training-data
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
