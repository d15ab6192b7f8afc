"""The old probabilities are those of the policy that is being updated."""

# kind: rl
# source: https://github.com/abhisheksuran/Reinforcement_Learning/issues/4
# changed: PyTorch in place of TensorFlow, and random states in place of an environment

import hashlib
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=2e-3)
clip = 0.2

for iteration in range(20):
    states = torch.randn(64, 5)
    with torch.no_grad():
        rollout = Categorical(logits=policy(states))
        actions = rollout.sample()
        old_log_probs = rollout.log_prob(actions)
    rewards = states[:, :3].gather(1, actions[:, None]).squeeze(1)
    advantages = (rewards - rewards.mean()) / rewards.std()
    for epoch in range(6):
        dist = Categorical(logits=policy(states))
        log_probs = dist.log_prob(actions)
        ratio = (log_probs - old_log_probs).exp()
        clipped = ratio.clamp(1 - clip, 1 + clip) * advantages
        loss = -torch.min(ratio * advantages, clipped).mean() - 0.01 * dist.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(iteration, rewards.mean().item())
final = b"".join(t.detach().float().numpy().tobytes() for t in policy.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
