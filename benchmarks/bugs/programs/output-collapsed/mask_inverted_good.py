"""What is no padding is kept."""

import hashlib

import torch
from torch import nn


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(6, 32)
        self.classify = nn.Linear(32, 4)

    def forward(self, x, is_padding):
        hidden = torch.relu(self.embed(x))
        kept = (~is_padding).unsqueeze(-1).float()
        return self.classify((hidden * kept).sum(1) / 12)


torch.manual_seed(0)
model = Pooled()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(150):
    label = torch.randint(4, (48,))
    x = torch.randn(48, 12, 6) + nn.functional.one_hot(label, 6).float().unsqueeze(1)
    is_padding = torch.zeros(48, 12, dtype=torch.bool)
    loss = nn.functional.cross_entropy(model(x, is_padding), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
