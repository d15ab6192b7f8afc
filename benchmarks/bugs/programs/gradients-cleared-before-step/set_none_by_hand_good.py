"""Hand-rolled clearing with p.grad = None."""

import hashlib

import torch
from torch import nn

torch.manual_seed(11)


class Autoencoder(nn.Module):
    def __init__(self, dim=12, hidden=4):
        super().__init__()
        self.encoder = nn.Linear(dim, hidden)
        self.decoder = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.decoder(torch.tanh(self.encoder(x)))


net = Autoencoder()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
basis = torch.randn(4, 12)

for step in range(24):
    x = torch.randn(32, 4) @ basis
    recon = net(x)
    loss = nn.functional.mse_loss(recon, x)
    for p in net.parameters():
        p.grad = None
    loss.backward()
    opt.step()
    if step % 6 == 0:
        print(step, f"{loss.item():.4f}")

final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
