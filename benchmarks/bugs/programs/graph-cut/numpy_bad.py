"""A trip through numpy in the middle of the forward pass."""

import hashlib

import torch
import torch.nn as nn


class Pipeline(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(4, 16)
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        h = torch.tanh(self.embed(x))
        h = torch.from_numpy(h.data.numpy().clip(-0.9, 0.9))  # BUG: graph-cut
        return self.head(h)


torch.manual_seed(2)
model = Pipeline()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(30):
    x = torch.randn(32, 4)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())  # BUG: graph-cut
    opt.zero_grad()
    loss.backward()  # BUG: graph-cut
    opt.step()  # BUG: graph-cut
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
