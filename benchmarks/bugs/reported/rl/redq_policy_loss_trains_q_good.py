"""The Q-networks are frozen while the policy's loss is backwarded."""

# kind: rl
# source: https://github.com/watchernyu/REDQ/pull/3
# changed: two Q-networks and random transitions in place of ten and a simulator

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 2), nn.Tanh())
q_nets = nn.ModuleList(nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 1)) for _ in range(2))
q_targets = nn.ModuleList(nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 1)) for _ in range(2))
q_targets.load_state_dict(q_nets.state_dict())
policy_optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
q_optimizer = torch.optim.Adam(q_nets.parameters(), lr=1e-3)
for step in range(120):
    obs, following = torch.randn(32, 5), torch.randn(32, 5)
    acts = torch.rand(32, 2) * 2 - 1
    rews = (obs[:, :2] * acts).sum(1, keepdim=True)
    with torch.no_grad():
        nxt = torch.cat([following, policy(following)], 1)
        y = rews + 0.9 * torch.min(q_targets[0](nxt), q_targets[1](nxt))
    q_loss = sum(nn.functional.mse_loss(q(torch.cat([obs, acts], 1)), y) for q in q_nets)
    q_optimizer.zero_grad()
    q_loss.backward()
    q_nets.requires_grad_(False)
    chosen = torch.cat([obs, policy(obs)], 1)
    policy_loss = -torch.stack([q(chosen) for q in q_nets]).mean()
    policy_optimizer.zero_grad()
    policy_loss.backward()
    q_nets.requires_grad_(True)
    q_optimizer.step()
    policy_optimizer.step()
    with torch.no_grad():
        for p, tp in zip(q_nets.parameters(), q_targets.parameters()):
            tp.lerp_(p, 0.01)
print(q_loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in q_nets.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
