"""BYOL: online and target network, predictor, momentum update under no_grad."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16))
predictor = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16))
target = copy.deepcopy(online)
optimizer = torch.optim.Adam([*online.parameters(), *predictor.parameters()], lr=1e-3)
for _ in range(15):
    x = torch.randn(32, 8)
    a, b = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
    with torch.no_grad():
        ta, tb = target(a), target(b)
    loss = (
        4 - 2 * (F.cosine_similarity(predictor(online(a)), tb) + F.cosine_similarity(predictor(online(b)), ta)).mean()
    )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for p, q in zip(online.parameters(), target.parameters()):
            q.lerp_(p, 0.01)
