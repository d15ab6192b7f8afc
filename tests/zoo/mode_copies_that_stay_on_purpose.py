"""Copies that are meant to stay, a random target, and one that moves a little in memory of its own."""

import copy

import torch
from torch import nn

torch.manual_seed(0)


def make() -> nn.Module:
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))


policy, predictor = make(), make()
reference, teacher, random_target = copy.deepcopy(policy), copy.deepcopy(policy), make()
moved_target = copy.deepcopy(predictor)
optimizer = torch.optim.Adam([*policy.parameters(), *predictor.parameters()], lr=1e-3)
for _ in range(80):
    x = torch.randn(16, 6)
    with torch.no_grad():
        kept, softer, novel = reference(x).softmax(-1), teacher(x) / 2, random_target(x) + moved_target(x)
    loss = (predictor(x) - novel).square().mean() + (policy(x) - softer).square().mean()
    loss = loss + nn.functional.kl_div(policy(x).log_softmax(-1), kept, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for k, q in zip(moved_target.parameters(), predictor.parameters(), strict=True):
        k.data = 0.999 * k.data + 0.001 * q.data
