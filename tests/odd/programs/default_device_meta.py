"""The default device is meta while real tensors, named by device, are trained."""

import torch
from torch.nn import functional
from training import digest

torch.manual_seed(0)
torch.set_default_device("meta")
weight = torch.randn(8, 3, device="cpu").div(3).requires_grad_()
optimizer = torch.optim.SGD([weight], lr=0.1)
for _ in range(30):
    x = torch.randn(16, 8, device="cpu")
    optimizer.zero_grad()
    functional.cross_entropy(x @ weight, x[:, :3].argmax(1)).backward()
    optimizer.step()
torch.set_default_device(None)
print(digest(weight))
