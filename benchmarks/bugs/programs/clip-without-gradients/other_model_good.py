"""Clips the parameters of the target network instead of the online one."""

import copy
import hashlib

import torch
from torch import nn

torch.manual_seed(67)
q_net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
target_net = copy.deepcopy(q_net)
target_net.requires_grad_(False)
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
gamma = 0.9

for step in range(30):
    s, s2 = torch.randn(32, 4), torch.randn(32, 4)
    a = torch.randint(0, 2, (32, 1))
    r = s[:, :1] * (2 * a - 1)
    with torch.no_grad():
        target = r + gamma * target_net(s2).max(1, keepdim=True).values
    q = q_net(s).gather(1, a)
    loss = nn.functional.smooth_l1_loss(q, target)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(q_net.parameters(), 10.0)
    optimizer.step()
    if step % 10 == 9:
        target_net.load_state_dict(q_net.state_dict())
        print(step, loss.item())

final = b"".join(t.detach().float().numpy().tobytes() for t in q_net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
