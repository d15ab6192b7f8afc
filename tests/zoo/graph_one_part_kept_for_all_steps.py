"""Features of frozen inputs are projected once; every step backwards through that same part."""

import torch

torch.manual_seed(0)
scale = torch.ones(3, requires_grad=True)
projected = torch.randn(32, 3) * scale
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD([scale, *model.parameters()], lr=0.01)
for _ in range(16):
    rows = torch.randperm(32)[:8]
    target = torch.randn(8, 1)
    loss = torch.nn.functional.mse_loss(model(projected[rows]), target)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    with torch.no_grad():
        scale.grad.clamp_(-1, 1)
    optimizer.step()
