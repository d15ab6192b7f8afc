"""Checkpointed blocks get an input that requires no gradient, so that the adapters inside train nothing."""

# kind: graph
# source: https://github.com/locuslab/open-unlearning/issues/178
# changed: a frozen embedding and two blocks with low-rank adapters in place of a language model

import hashlib
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Lora(nn.Module):
    def __init__(self, base, r=4):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.lora_A = nn.Linear(base.in_features, r, bias=False)
        self.lora_B = nn.Linear(r, base.out_features, bias=False)
        nn.init.normal_(self.lora_B.weight, std=0.02)

    def forward(self, x):
        return self.base(x) + self.lora_B(self.lora_A(x))


class Model(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.embed = nn.Embedding(20, dim).requires_grad_(False)
        self.layers = nn.ModuleList([nn.Sequential(Lora(nn.Linear(dim, dim)), nn.GELU()) for _ in range(2)])
        self.head = nn.Linear(dim, 20)

    def forward(self, ids):
        x = self.embed(ids)
        x.requires_grad_(True)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=True)
        return self.head(x)


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=3e-3)
for step in range(80):
    ids = torch.randint(0, 20, (32,))
    loss = nn.functional.cross_entropy(model(ids), (ids * 7 + 3) % 20)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
