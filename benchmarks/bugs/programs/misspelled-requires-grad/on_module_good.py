"""Sets requires_grad on modules, where it does nothing."""

import hashlib

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, 24), nn.Tanh())
        self.decoder = nn.Linear(24, 6)

    def forward(self, x):
        return self.decoder(self.encoder(x))


def freeze(module):
    for child in module.children():
        child.requires_grad_(False)


torch.manual_seed(14)
model = Model()
freeze(model.encoder)
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-2)
for step in range(25):
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(model(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
