"""Heads and positions change places by view(), which leaves the numbers where they are."""

# kind: attention
# source: https://github.com/zhouhaoyi/Informer2020/issues/59
# changed: a forecaster of random waves with plain attention

import hashlib
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.h = n_heads
        self.query, self.key, self.value, self.out = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x):
        b, length, d = x.shape
        queries, keys, values = (f(x).view(b, length, self.h, -1) for f in (self.query, self.key, self.value))
        queries = queries.view(b, self.h, length, -1)  # BUG: view-in-place-of-transpose
        keys = keys.view(b, self.h, length, -1)  # BUG: view-in-place-of-transpose
        values = values.view(b, self.h, length, -1)  # BUG: view-in-place-of-transpose
        weights = torch.softmax(queries @ keys.transpose(-1, -2) / (d // self.h) ** 0.5, -1)
        context = weights @ values
        return self.out(context.view(b, length, -1))  # BUG: view-in-place-of-transpose


torch.manual_seed(0)
time = torch.arange(13) / 4
model = nn.Sequential(nn.Linear(1, 16), Attention(16, 2), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(100):
    wave = torch.sin(time * (0.5 + torch.rand(32, 1)) + 6 * torch.rand(32, 1)).unsqueeze(-1)
    loss = nn.functional.mse_loss(model(wave[:, :12])[:, -1], wave[:, 12])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
