"""Gradients are set, added to, shared, swapped and made contiguous by hand."""

import torch
from torch.nn import functional
from training import digest, make_batch, make_net

torch.manual_seed(0)
model = make_net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for i in range(24):
    x, y = make_batch()
    optimizer.zero_grad(set_to_none=i % 2 == 0)
    loss = functional.cross_entropy(model(x), y)
    if i % 3 == 0:
        for param, grad in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters()))):
            param.grad = grad
    else:
        loss.backward()
    if i % 3 == 1:
        for param in model.parameters():
            param.grad = param.grad.t().contiguous().t() if param.grad.dim() > 1 else param.grad.clone()
    if i % 3 == 2:
        for param in model.parameters():
            param.grad.mul_(0.9).add_(param.detach(), alpha=1e-4)
    optimizer.step()
print(digest(model))
