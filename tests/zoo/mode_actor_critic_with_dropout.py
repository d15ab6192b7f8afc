"""Acting without gradient in train mode before every update; targets from the online and a target net."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Dropout(0.05), nn.Linear(32, 2))
target = copy.deepcopy(online).eval()
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
buffer = []
state = torch.randn(4)
for step in range(60):
    with torch.no_grad():
        action = online(state.unsqueeze(0)).argmax(1).item()
    following = torch.randn(4)
    buffer.append((state, action, float(following.sum()), following))
    state = following
    if len(buffer) < 16:
        continue
    picks = [buffer[i] for i in torch.randint(len(buffer), (16,)).tolist()]
    states = torch.stack([p[0] for p in picks])
    actions = torch.tensor([p[1] for p in picks])
    rewards = torch.tensor([p[2] for p in picks])
    next_states = torch.stack([p[3] for p in picks])
    with torch.no_grad():
        best = online(next_states).argmax(1, keepdim=True)
        goal = rewards + 0.9 * target(next_states).gather(1, best).squeeze(1)
    value = online(states).gather(1, actions.unsqueeze(1)).squeeze(1)
    optimizer.zero_grad()
    nn.functional.smooth_l1_loss(value, goal).backward()
    optimizer.step()
    if step % 10 == 0:
        target.load_state_dict(online.state_dict())
