"""The optimizer of the critics holds both."""

# kind: parameters
# source: https://github.com/ray-project/ray/pull/4108
# changed: twin critics on random transitions, in PyTorch

import copy
import hashlib
import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2), nn.Tanh())
q_model, twin_q_model = (nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1)) for _ in range(2))
targets = [copy.deepcopy(m).requires_grad_(False) for m in (actor, q_model, twin_q_model)]
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam([*q_model.parameters(), *twin_q_model.parameters()], lr=1e-3)
for step in range(120):
    obs, action, following = torch.randn(32, 4), torch.rand(32, 2) * 2 - 1, torch.randn(32, 4)
    reward = (obs[:, :2] * action).sum(1, keepdim=True)
    with torch.no_grad():
        smooth = (targets[0](following) + 0.1 * torch.randn(32, 2)).clamp(-1, 1)
        nxt = torch.cat([following, smooth], 1)
        y = reward + 0.95 * torch.min(targets[1](nxt), targets[2](nxt))
    sa = torch.cat([obs, action], 1)
    critic_loss = nn.functional.mse_loss(q_model(sa), y) + nn.functional.mse_loss(twin_q_model(sa), y)
    critic_optimizer.zero_grad()
    twin_q_model.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()
    if step % 2:
        q_model.requires_grad_(False)
        actor_loss = -q_model(torch.cat([obs, actor(obs)], 1)).mean()
        actor_optimizer.zero_grad()
        actor_loss.backward()
        actor_optimizer.step()
        q_model.requires_grad_(True)
        with torch.no_grad():
            for live, target in zip((actor, q_model, twin_q_model), targets):
                for p, t in zip(live.parameters(), target.parameters()):
                    t.lerp_(p, 0.01)
print(critic_loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in q_model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
