"""A target network, synchronised by `load_state_dict` now and then, without `no_grad`."""

import torch
from torch import nn

torch.manual_seed(0)


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))


online, target = network(), network()
target.load_state_dict(online.state_dict())
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
for step in range(16):
    state, after, reward = torch.randn(16, 4), torch.randn(16, 4), torch.randn(16)
    action = torch.randint(0, 2, (16, 1))
    value = online(state).gather(1, action).squeeze(1)
    loss = nn.functional.smooth_l1_loss(value, reward + 0.9 * target(after).max(1).values)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 8 == 7:
        target.load_state_dict(online.state_dict())
