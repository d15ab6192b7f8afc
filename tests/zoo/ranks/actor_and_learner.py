"""One rank acts, the other learns and sends its weights now and then."""

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for step in range(12):
    batch = torch.empty(32, 5)
    if dist.get_rank() == 1:
        with torch.no_grad():
            states = torch.randn(32, 4)
            actions = torch.distributions.Categorical(logits=policy(states)).sample()
        batch = torch.cat([states, actions[:, None].float()], 1)
    dist.broadcast(batch, src=1)
    if dist.get_rank() == 0:
        states, actions = batch[:, :4], batch[:, 4].long()
        advantage = (states[:, 0] > 0).float() * (actions * 2 - 1)
        chosen = torch.distributions.Categorical(logits=policy(states)).log_prob(actions)
        optimizer.zero_grad()
        (-chosen * advantage).mean().backward()
        optimizer.step()
    if step % 3 == 2:
        for param in policy.parameters():
            dist.broadcast(param.data, src=0)
dist.destroy_process_group()
