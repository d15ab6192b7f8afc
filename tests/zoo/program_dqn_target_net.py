"""DQN with a target network that builds graphs of its own and is copied now and then."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 2))
target = copy.deepcopy(q).eval()
optimizer = torch.optim.RMSprop(q.parameters(), lr=1e-3)
for step in range(30):
    s, s2, a = torch.randn(32, 3), torch.randn(32, 3), torch.randint(0, 2, (32, 1))
    r = torch.where(a[:, 0] == (s[:, 0] > 0), 1.0, -1.0)
    expected = r + 0.9 * target(s2).max(1).values.detach()
    loss = nn.functional.smooth_l1_loss(q(s).gather(1, a).squeeze(1), expected)
    optimizer.zero_grad()
    loss.backward()
    for p in q.parameters():
        p.grad.data.clamp_(-1, 1)
    optimizer.step()
    if step % 10 == 9:
        target.load_state_dict(q.state_dict())
