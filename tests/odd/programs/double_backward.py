"""A gradient penalty: backward through backward, with create_graph and retain_graph."""

import torch
from torch.nn import functional
from training import digest, make_batch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(20):
    x, y = make_batch()
    x.requires_grad_()
    optimizer.zero_grad()
    loss = functional.cross_entropy(model(x), y)
    (slope,) = torch.autograd.grad(loss, x, create_graph=True)
    (loss + 10 * slope.square().sum()).backward()
    optimizer.step()
print(digest(model))
