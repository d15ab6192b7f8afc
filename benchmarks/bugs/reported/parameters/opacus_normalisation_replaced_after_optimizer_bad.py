"""Batch-norm layers are exchanged for group-norm after the optimizer was made over the model's parameters."""

# kind: parameters
# source: https://github.com/meta-pytorch/opacus/issues/432
# changed: without privacy; random images of two kinds

import hashlib
import torch
from torch import nn


def replace_batchnorm(module):
    for name, child in module.named_children():
        if isinstance(child, nn.BatchNorm2d):
            setattr(module, name, nn.GroupNorm(4, child.num_features))  # BUG: parameters-not-in-optimizer, optimizer-holds-stale-parameters
        else:
            replace_batchnorm(child)
    return module


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2))


torch.manual_seed(7)
model = nn.Sequential(block(1, 8), block(8, 16), nn.Flatten(), nn.Linear(16 * 4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)  # BUG: parameters-not-in-optimizer, optimizer-holds-stale-parameters
model = replace_batchnorm(model)  # BUG: parameters-not-in-optimizer, optimizer-holds-stale-parameters
criterion = nn.CrossEntropyLoss()
model.train()
for i in range(80):
    target = torch.randint(2, (24,))
    image = torch.randn(24, 1, 8, 8)
    image[target == 1, :, :4] += 1.0
    optimizer.zero_grad()
    loss = criterion(model(image), target)
    loss.backward()
    optimizer.step()
print(loss.item())

weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print("weights", hashlib.sha256(weights).hexdigest()[:16])
