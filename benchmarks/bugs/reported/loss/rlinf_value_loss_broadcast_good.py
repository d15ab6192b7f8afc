"""Values of shape [B] are subtracted from returns of shape [B, 1]."""

# kind: loss
# source: https://github.com/RLinf/RLinf/issues/1568
# changed: returns are a function of random states; the clipped value loss is as reported

import hashlib
import torch
from torch import nn


def compute_ppo_critic_loss(values, returns, prev_values, value_clip=0.2, huber_delta=10.0):
    clipped = prev_values + (values - prev_values).clamp(-value_clip, value_clip)
    original = nn.functional.huber_loss(values, returns.expand_as(values), reduction="none", delta=huber_delta)
    cut = nn.functional.huber_loss(clipped, returns, reduction="none", delta=huber_delta)
    return torch.max(original, cut).mean()


torch.manual_seed(0)
value_head = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 1))
optimizer = torch.optim.Adam(value_head.parameters(), lr=3e-3)
for update in range(120):
    obs = torch.randn(32, 6)
    returns = obs[:, :2].sum(1, keepdim=True)
    with torch.no_grad():
        prev_values = value_head(obs)
    values = value_head(obs)
    loss = compute_ppo_critic_loss(values, returns, prev_values)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 40 == 0:
        print(update, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in value_head.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
