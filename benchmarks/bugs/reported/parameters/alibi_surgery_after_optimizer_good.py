"""Position embeddings are replaced in a model whose optimizer exists."""

# kind: parameters
# source: https://github.com/mosaicml/composer/issues/553
# changed: new trainable positions in place of zeroed ones, on a small model

import hashlib
import torch
from torch import nn


class GPT(nn.Module):
    def __init__(self, dim=32, length=12):
        super().__init__()
        self.wte = nn.Embedding(18, dim)
        self.wpe = nn.Embedding(length, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 64), nn.GELU(), nn.Linear(64, 18))

    def forward(self, ids):
        return self.mlp(self.wte(ids) + self.wpe.weight[: ids.shape[1]])


def expand_positions(model, new_length):
    old = model.wpe.weight
    fresh = torch.zeros(new_length, old.shape[1])
    fresh[: old.shape[0]] = old.detach()
    model.wpe.weight = nn.Parameter(fresh)


torch.manual_seed(0)
gpt = GPT()
expand_positions(gpt, 16)
optimizer = torch.optim.Adam(gpt.parameters(), lr=3e-3)
for step in range(100):
    ids = torch.randint(0, 18, (16, 16))
    want = (ids + torch.arange(16)) % 18
    loss = nn.functional.cross_entropy(gpt(ids).flatten(0, 1), want.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in gpt.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
