"""Cuts that are meant: straight-through, inputs and latents that are optimised, attacks, split models."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
encoder, decoder = nn.Linear(8, 4), nn.Linear(4, 8)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.05)
for _ in range(8):
    x = torch.randn(16, 8)
    z = encoder(x)
    hard = z + (z.sign() - z).detach()
    optimizer.zero_grad()
    F.mse_loss(decoder(hard), x).backward()
    optimizer.step()

# Inversion: the input is optimised, the model frozen.
decoder.requires_grad_(False)
target = torch.randn(1, 8)
latent = torch.zeros(1, 4, requires_grad=True)
search = torch.optim.Adam([latent], lr=0.1)
for _ in range(8):
    search.zero_grad()
    F.mse_loss(decoder(latent), target).backward()
    search.step()
decoder.requires_grad_(True)

# Adversarial training: one backward for the input alone, one for the model.
model = nn.Linear(8, 3)
adversarial = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(8):
    x = torch.randn(16, 8, requires_grad=True)
    y = x.detach()[:, :3].argmax(1)
    model.requires_grad_(False)
    F.cross_entropy(model(x), y).backward()
    model.requires_grad_(True)
    attacked = (x + 0.1 * x.grad.sign()).detach()
    adversarial.zero_grad()
    F.cross_entropy(model(attacked), y).backward()
    adversarial.step()

# A model cut in two, with gradients carried over by hand.
front, back = nn.Linear(8, 4), nn.Linear(4, 1)
halves = torch.optim.SGD([*front.parameters(), *back.parameters()], lr=0.05)
for _ in range(8):
    x = torch.randn(16, 8)
    out = front(x)
    cut = out.detach().requires_grad_()
    halves.zero_grad()
    F.mse_loss(back(cut), x.sum(1, keepdim=True)).backward()
    out.backward(cut.grad)
    halves.step()
