"""Values of shape [B] are subtracted from returns of shape [B, 1]."""

# kind: loss
# source: https://github.com/RLinf/RLinf/issues/1568
# changed: returns are a function of random states; the clipped value loss is as reported

import hashlib
import torch
from torch import nn


def compute_ppo_critic_loss(values, returns, prev_values, value_clip=0.2, huber_delta=10.0):
    clipped = prev_values + (values - prev_values).clamp(-value_clip, value_clip)  # BUG: loss-shape-broadcast  ALSO: loss-flat, output-collapsed
    error_original = returns - values  # BUG: loss-shape-broadcast  ALSO: loss-flat, output-collapsed
    error_clipped = returns - clipped  # BUG: loss-shape-broadcast  ALSO: loss-flat, output-collapsed
    original = torch.where(error_original.abs() < huber_delta, 0.5 * error_original**2, huber_delta * (error_original.abs() - 0.5 * huber_delta))
    cut = torch.where(error_clipped.abs() < huber_delta, 0.5 * error_clipped**2, huber_delta * (error_clipped.abs() - 0.5 * huber_delta))
    return torch.max(original, cut).mean()  # BUG: loss-shape-broadcast  ALSO: loss-flat, output-collapsed


torch.manual_seed(0)
value_head = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 1))
optimizer = torch.optim.Adam(value_head.parameters(), lr=3e-3)
for update in range(120):
    obs = torch.randn(32, 6)
    returns = obs[:, :2].sum(1, keepdim=True)
    with torch.no_grad():
        prev_values = value_head(obs)
    values = value_head(obs).squeeze(-1)
    loss = compute_ppo_critic_loss(values, returns, prev_values)  # BUG: loss-shape-broadcast  ALSO: loss-flat, output-collapsed
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if update % 40 == 0:
        print(update, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in value_head.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
