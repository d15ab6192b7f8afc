"""[ResBlock()] * n puts the same block into every place."""

# kind: parameters
# source: https://github.com/linkedin/Liger-Kernel/pull/269
# changed: heads over random hidden states in place of a language model

import hashlib
import torch
from torch import nn


class ResBlock(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)
        nn.init.zeros_(self.linear.weight)
        self.act = nn.SiLU()

    def forward(self, x):
        return x + self.act(self.linear(x))


def medusa_heads(num_heads=3, num_layers=2, size=24, vocab=16):
    return nn.ModuleList(
        [
            nn.Sequential(*([ResBlock(size)] * num_layers), nn.Linear(size, vocab))  # BUG: module-repeated
            for _ in range(num_heads)
        ]
    )


torch.manual_seed(0)
heads = medusa_heads()
optimizer = torch.optim.AdamW(heads.parameters(), lr=3e-3)
project = torch.randn(24, 16)
for step in range(120):
    hidden = torch.randn(32, 24)
    wanted = (hidden @ project).argsort(1, descending=True)
    loss = sum(nn.functional.cross_entropy(head(hidden), wanted[:, i]) for i, head in enumerate(heads))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in heads.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
