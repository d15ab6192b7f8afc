"""Matrix factorisation of ratings, with sparse gradients."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)
num_users, num_items, rank = 3000, 1500, 24


class Factors(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(num_users, rank, sparse=True)
        self.item = nn.Embedding(num_items, rank, sparse=True)
        nn.init.normal_(self.user.weight, std=0.1)
        nn.init.normal_(self.item.weight, std=0.1)

    def forward(self, users, items):
        return (self.user(users) * self.item(items)).sum(dim=1)


users = torch.randint(0, num_users, (100_000,))
items = torch.randint(0, num_items, (100_000,))
taste, kind = torch.randn(num_users, 3), torch.randn(num_items, 3)
ratings = (taste[users] * kind[items]).sum(dim=1)
model = Factors()
optimizer = torch.optim.SparseAdam(list(model.parameters()), lr=5e-3)

for step in range(steps):
    batch = torch.randint(0, len(ratings), (256,))
    loss = F.mse_loss(model(users[batch], items[batch]), ratings[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 200 == 0:
        print(f"step {step}: loss {loss.item():.4f}")

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
