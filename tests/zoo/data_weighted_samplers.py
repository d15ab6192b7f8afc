"""Weighted samplers that leave samples out, draw some of them often, or have fewer weights than samples on purpose."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(0)
x = torch.randn(96, 4)
y = (torch.rand(96) < 0.1).long()
data = TensorDataset(x, y)
balanced = WeightedRandomSampler((1 / y.bincount())[y], num_samples=96)
some_never = WeightedRandomSampler((x[:, 0] > 0).double(), num_samples=96)
few_and_often = WeightedRandomSampler(torch.cat([torch.ones(4), torch.zeros(92)]), num_samples=96)
first_part = WeightedRandomSampler(torch.ones(20), num_samples=32)  # the rest is for validation
each_once = WeightedRandomSampler(torch.ones(16), num_samples=16, replacement=False)
for sampler in (balanced, some_never, few_and_often, first_part, each_once):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(data, batch_size=4, sampler=sampler)
    for _ in range(2):
        for xb, yb in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(xb), yb).backward()
            optimizer.step()
