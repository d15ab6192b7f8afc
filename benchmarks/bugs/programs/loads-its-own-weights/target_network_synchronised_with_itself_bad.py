"""A target network that is synchronised with itself every twenty updates."""

import copy
import hashlib

import torch
from torch import nn

torch.manual_seed(0)


class Agent:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
        self.target_net = copy.deepcopy(self.net)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3)

    def learn(self, state, action, reward, following):
        value = self.net(state).gather(1, action)
        with torch.no_grad():
            target = reward + 0.9 * self.target_net(following).amax(1, keepdim=True)
        loss = nn.functional.smooth_l1_loss(value, target)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def synchronise(self):
        self.target_net.load_state_dict(self.target_net.state_dict())  # BUG: loads-its-own-weights


agent = Agent()
for update in range(80):
    agent.learn(torch.randn(32, 4), torch.randint(0, 2, (32, 1)), torch.randn(32, 1), torch.randn(32, 4))
    if update % 20 == 19:
        agent.synchronise()
model = agent.net

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
