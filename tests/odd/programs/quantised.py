"""Fake-quantised training, then a quantised copy of the weights."""

import torch
from torch import nn
from torch.nn import functional
from training import digest, make_batch


class Net(nn.Linear):
    def forward(self, x):
        return functional.linear(x, torch.fake_quantize_per_tensor_affine(self.weight, 0.01, 0, -128, 127), self.bias)


torch.manual_seed(0)
model = Net(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    x, y = make_batch()
    optimizer.zero_grad()
    functional.cross_entropy(model(x), y).backward()
    optimizer.step()
packed = torch.quantize_per_tensor(model.weight.detach(), 0.01, 0, torch.qint8)
model.register_buffer("packed", packed)
for _ in range(5):
    x, y = make_batch()
    optimizer.zero_grad()
    functional.cross_entropy(model(x), y).backward()
    optimizer.step()
print(digest(packed.int_repr(), model.weight))
