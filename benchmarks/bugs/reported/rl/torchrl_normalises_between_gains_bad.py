"""Advantages are normalised after the first gain was computed from them, and before the second."""

# kind: rl
# source: https://github.com/pytorch/rl/pull/1033
# changed: a small policy over random states
# gap: what a formula should be is known to its author alone

import hashlib
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
clip_epsilon = 0.2
for rollout in range(15):
    state = torch.randn(128, 5)
    with torch.no_grad():
        behaviour = torch.distributions.Categorical(logits=policy(state))
        action = behaviour.sample()
        prev_log_prob = behaviour.log_prob(action)
        reward = 10 * state.gather(1, action[:, None]).squeeze(1) + 5
        advantages = reward - reward.mean() * 0.5
    for _ in range(2):
        for index in torch.randperm(128).split(32):
            advantage = advantages[index]
            dist = torch.distributions.Categorical(logits=policy(state[index]))
            log_weight = dist.log_prob(action[index]) - prev_log_prob[index]
            gain1 = log_weight.exp() * advantage
            clipped = log_weight.exp().clamp(1 - clip_epsilon, 1 + clip_epsilon)
            advantage = (advantage - advantage.mean()) / advantage.std().clamp_min(1e-6)  # BUG: wrong-formula
            gain2 = clipped * advantage  # BUG: wrong-formula
            loss = -torch.stack([gain1, gain2], -1).min(dim=-1).values.mean() - 0.01 * dist.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()
final = b"".join(t.detach().float().numpy().tobytes() for t in policy.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
