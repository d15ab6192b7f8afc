"""DQN whose target lost a dimension."""

import copy
import hashlib
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(4)
random.seed(4)
q_net = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))
target_net = copy.deepcopy(q_net)
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
memory = []
state = torch.zeros(2)
for t in range(200):
    action = random.randint(0, 1)
    next_state = (state + torch.tensor([0.1, -0.1]) * (2 * action - 1) + 0.05 * torch.randn(2)).clamp(-1, 1)
    memory.append((state, action, -next_state.abs().sum().item(), next_state))
    state = next_state

for update in range(30):
    batch = random.sample(memory, 32)
    states = torch.stack([b[0] for b in batch])
    actions = torch.tensor([b[1] for b in batch]).unsqueeze(1)
    rewards = torch.tensor([b[2] for b in batch])
    next_states = torch.stack([b[3] for b in batch])
    q_values = q_net(states).gather(1, actions)
    with torch.no_grad():
        expected = rewards + 0.95 * target_net(next_states).max(dim=1).values
    loss = F.smooth_l1_loss(q_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 10 == 0:
        target_net.load_state_dict(q_net.state_dict())
        print(update, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in q_net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
