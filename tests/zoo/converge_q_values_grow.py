"""The error of Q-learning grows with the values it learns: from almost nothing to a lot."""

import torch
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
target = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
target.load_state_dict(online.state_dict())
optimizer = torch.optim.Adam(online.parameters(), lr=1e-2)
for i in range(200):
    state, after = torch.randn(64, 4), torch.randn(64, 4)
    action = torch.randint(0, 2, (64, 1))
    with torch.no_grad():
        goal = 1.0 + 0.98 * target(after).amax(1, keepdim=True)
    loss = nn.functional.smooth_l1_loss(online(state).gather(1, action), goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 10 == 9:
        target.load_state_dict(online.state_dict())
