"""The actor's loss takes the value as a number."""

# kind: rl
# source: https://github.com/keras-team/keras-io/issues/194
# changed: PyTorch in place of Keras, and a random walk in place of the pole

import hashlib
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.common = nn.Linear(4, 32)
        self.action_head = nn.Linear(32, 2)
        self.value_head = nn.Linear(32, 1)

    def forward(self, state):
        h = F.relu(self.common(state))
        return self.action_head(h).softmax(-1), self.value_head(h)


model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
gamma = 0.97
for episode in range(60):
    state = torch.randn(4)
    log_probs, values, rewards = [], [], []
    for t in range(12):
        probs, value = model(state)
        action = int(torch.multinomial(probs, 1))
        log_probs.append(torch.log(probs[action]))
        values.append(value[0])
        rewards.append(1.0 if (state[0] > 0) == bool(action) else 0.0)
        state = 0.8 * state + 0.4 * torch.randn(4)
    returns, running = [], 0.0
    for r in reversed(rewards):
        running = r + gamma * running
        returns.insert(0, running)
    actor_losses, critic_losses = [], []
    for log_prob, value, ret in zip(log_probs, values, returns):
        diff = ret - value.item()
        actor_losses.append(-log_prob * diff)
        critic_losses.append(F.smooth_l1_loss(value, torch.tensor(ret)))
    loss = sum(actor_losses) + sum(critic_losses)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(sum(rewards))
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
