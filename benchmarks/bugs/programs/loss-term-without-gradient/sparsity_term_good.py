"""The sparsity of the code is part of the loss."""

import hashlib

import torch
from torch import nn


torch.manual_seed(3)


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(12, 8), nn.Linear(8, 12)

    def forward(self, x):
        code = self.encoder(x).relu()
        return self.decoder(code), code


def sparsity(code):
    return code.abs().mean()


model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(30):
    x = torch.randn(16, 12)
    out, code = model(x)
    loss = nn.functional.mse_loss(out, x) + 0.1 * sparsity(code)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
