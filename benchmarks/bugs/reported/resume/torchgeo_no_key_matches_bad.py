"""The keys of the checkpoint lack a prefix, and strict=False hides that none of them fits."""

# kind: resume
# source: https://github.com/torchgeo/torchgeo/issues/4036
# changed: a small encoder, which is pretrained for a moment first

import hashlib
import os
import tempfile
import torch
from torch import nn


class Pretrained(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.ModuleDict({"encoder": nn.Sequential(nn.Linear(10, 32), nn.GELU(), nn.Linear(32, 32)), "decoder": nn.Linear(32, 10)})

    def forward(self, x):
        return self.model["encoder"](x)


def olmoearth(weights):
    model = Pretrained()
    state_dict = torch.load(weights)
    model.load_state_dict(state_dict, strict=False)  # BUG: checkpoint-mostly-unmatched
    return model


torch.manual_seed(0)
x = torch.randn(256, 10)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "nano.pt")
    source = Pretrained()
    optimizer = torch.optim.Adam(source.parameters(), lr=1e-3)
    for _ in range(40):
        loss = nn.functional.mse_loss(source.model["decoder"](source(x + 0.3 * torch.randn_like(x))), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save(source.model.state_dict(), path)
    backbone = olmoearth(path).requires_grad_(False).eval()
head = nn.Linear(32, 3)
optimizer = torch.optim.AdamW(head.parameters(), lr=1e-2)
for step in range(60):
    loss = nn.functional.cross_entropy(head(backbone(x)), x[:, :3].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in head.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
