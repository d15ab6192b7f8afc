"""The critic's loss is the square of advantages that are not detached from their bootstrap."""

# kind: rl
# source: https://github.com/Farama-Foundation/Gymnasium/issues/1494
# changed: random rollouts; one network with two heads is kept as two networks

import hashlib
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
T, n_envs, gamma, lam = 8, 8, 0.95, 0.95
critic = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
actor = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
critic_optim = torch.optim.RMSprop(critic.parameters(), lr=2e-3)
actor_optim = torch.optim.RMSprop(actor.parameters(), lr=1e-3)


def get_losses(rewards, action_log_probs, value_preds):
    advantages = torch.zeros(T, n_envs)
    gae = 0.0
    for t in reversed(range(T - 1)):
        td_error = rewards[t] + gamma * value_preds[t + 1] - value_preds[t]  # BUG: gradient-through-target
        gae = td_error + gamma * lam * gae
        advantages[t] = gae
    critic_loss = advantages.pow(2).mean()  # BUG: gradient-through-target
    actor_loss = -(advantages.detach() * action_log_probs).mean()
    return critic_loss, actor_loss


for phase in range(100):
    states = torch.randn(n_envs, 4)
    rewards, log_probs, values = [], [], []
    for t in range(T):
        dist = Categorical(logits=actor(states))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        values.append(critic(states).squeeze(1))
        rewards.append(states[torch.arange(n_envs), action])
        states = 0.8 * states + 0.4 * torch.randn(n_envs, 4)
    critic_loss, actor_loss = get_losses(torch.stack(rewards), torch.stack(log_probs), torch.stack(values))
    critic_optim.zero_grad()
    critic_loss.backward()  # BUG: gradient-through-target
    critic_optim.step()
    actor_optim.zero_grad()
    actor_loss.backward()
    actor_optim.step()
print(critic_loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in critic.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
