"""The target network is the policy network itself, and the target is not detached."""

# kind: rl
# source: https://github.com/datawhalechina/easy-rl/pull/117
# changed: random transitions in place of an environment

import hashlib
import random
from collections import deque

import torch
from torch import nn


class DoubleDQN:
    def __init__(self, n_states, n_actions, gamma=0.9):
        self.gamma = gamma
        self.policy_net = nn.Sequential(nn.Linear(n_states, 48), nn.ReLU(), nn.Linear(48, n_actions))
        self.target_net = self.policy_net  # BUG: gradient-through-target
        self.optimizer = torch.optim.Adam(self.policy_net.parameters(), lr=2e-3)
        self.memory = deque(maxlen=2000)

    def update(self, batch_size=32):
        s, a, r, s2 = (torch.stack(z) for z in zip(*random.sample(self.memory, batch_size)))
        q = self.policy_net(s).gather(1, a[:, None]).squeeze(1)
        next_action = self.policy_net(s2).argmax(1, keepdim=True)
        next_q = self.target_net(s2).gather(1, next_action).squeeze(1)
        expected = r + self.gamma * next_q  # BUG: gradient-through-target
        loss = nn.functional.mse_loss(q, expected)  # BUG: gradient-through-target
        self.optimizer.zero_grad()
        loss.backward()  # BUG: gradient-through-target
        for p in self.policy_net.parameters():
            p.grad.data.clamp_(-1, 1)
        self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
random.seed(0)
agent = DoubleDQN(4, 3)
state = torch.randn(4)
for step in range(400):
    action = torch.randint(0, 3, ())
    reward = state[int(action)].tanh()
    following = 0.7 * state + 0.3 * torch.randn(4)
    agent.memory.append((state, action, reward, following))
    state = following
    if step >= 250:
        loss = agent.update()
print(loss)
final = b"".join(t.detach().float().numpy().tobytes() for t in agent.policy_net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
