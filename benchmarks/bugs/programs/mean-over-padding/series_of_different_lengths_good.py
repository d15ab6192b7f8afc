"""A forecaster of series of different lengths, whose errors are masked and averaged."""

import hashlib

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)
rnn, head = nn.LSTM(2, 16, batch_first=True), nn.Linear(16, 2)
model = nn.ModuleDict({"rnn": rnn, "head": head})
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)


def batch(size=12):
    lengths = torch.randint(4, 25, (size,))
    series = pad_sequence([torch.randn(n, 2).cumsum(0) * 0.3 for n in lengths.tolist()], batch_first=True)
    return series, torch.arange(series.shape[1] - 1).unsqueeze(0) < (lengths - 1).unsqueeze(1)


for step in range(60):
    series, mask = batch()
    error = nn.functional.smooth_l1_loss(head(rnn(series[:, :-1])[0]), series[:, 1:], reduction="none").mean(-1)
    loss = (error * mask).sum() / mask.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])

