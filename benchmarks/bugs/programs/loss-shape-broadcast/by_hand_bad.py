"""A hand-written squared error."""

import hashlib

import torch
import torch.nn as nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(3, 24)
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))


torch.manual_seed(2)
X = torch.rand(300, 3)
Y = (X[:, 0] * X[:, 1] + X[:, 2]).sin()
model = Regressor()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(30):
    idx = torch.randint(0, 300, (25,))
    pred = model(X[idx])
    loss = ((pred - Y[idx]) ** 2).mean()  # BUG: loss-shape-broadcast
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
