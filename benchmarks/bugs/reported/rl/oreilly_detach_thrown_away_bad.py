"""next_q.detach() is written as if it worked in place."""

# kind: rl
# source: https://github.com/oreilly-japan/deep-learning-from-scratch-4/issues/13
# changed: random transitions, and one network without a copy for the targets

import copy
import hashlib
import random
from collections import deque

import torch
import torch.nn.functional as F
from torch import nn, optim

class ReplayBuffer:
    def __init__(self, size, batch_size):
        self.buffer, self.batch_size = deque(maxlen=size), batch_size

    def add(self, *transition):
        self.buffer.append(transition)

    def get_batch(self):
        rows = random.sample(self.buffer, self.batch_size)
        s, a, r, n, d = zip(*rows)
        return torch.stack(s), torch.tensor(a), torch.tensor(r), torch.stack(n), torch.tensor(d)


class QNet(nn.Module):
    def __init__(self, action_size):
        super().__init__()
        self.l1, self.l2 = nn.Linear(4, 64), nn.Linear(64, action_size)

    def forward(self, x):
        return self.l2(F.relu(self.l1(x)))


class DQNAgent:
    def __init__(self):
        self.gamma = 0.9
        self.replay_buffer = ReplayBuffer(2000, 32)
        self.qnet = QNet(2)
        self.optimizer = optim.Adam(self.qnet.parameters(), lr=1e-3)

    def update(self, *transition):
        self.replay_buffer.add(*transition)
        if len(self.replay_buffer.buffer) < 64:
            return None
        state, action, reward, next_state, done = self.replay_buffer.get_batch()
        q = self.qnet(state)[torch.arange(len(action)), action]
        next_q = self.qnet(next_state).max(1)[0]
        next_q.detach()
        target = reward + (1 - done) * self.gamma * next_q  # BUG: gradient-through-target
        loss = F.mse_loss(q, target)  # BUG: gradient-through-target
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(17)
random.seed(17)
agent = DQNAgent()
state = torch.randn(4)
for step in range(300):
    action = random.randrange(2)
    next_state = 0.8 * state + 0.5 * torch.randn(4)
    value = agent.update(state, action, float(state[action]), next_state, float(random.random() < 0.05))
    state = next_state
print(value)
final = b"".join(t.detach().double().numpy().tobytes() for t in agent.qnet.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
