"""An image is optimised through a network by L-BFGS; the network gets gradients and stays."""

import torch
from torch import nn

torch.manual_seed(0)
network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3))
wanted = network(torch.randn(1, 3, 8, 8)).detach()
image = torch.randn(1, 3, 8, 8, requires_grad=True)
optimizer = torch.optim.LBFGS([image], max_iter=4)


def closure() -> torch.Tensor:
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(network(image), wanted)
    loss.backward()
    return loss


for _ in range(5):
    optimizer.step(closure)
