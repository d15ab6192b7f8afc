"""One optimizer per parameter, stepped and cleared by post-accumulate hooks during backward."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizers = {p: torch.optim.AdamW([p], lr=1e-3) for p in model.parameters()}


def step(p):
    optimizers[p].step()
    optimizers[p].zero_grad()


for p in model.parameters():
    p.register_post_accumulate_grad_hook(step)
for _ in range(20):
    x = torch.randn(16, 4)
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
