"""The mask of ended episodes is added to the target, where it should be a factor."""

# kind: rl
# source: https://github.com/ikostrikov/pytorch-ddpg-naf/issues/16
# changed: random transitions in place of a simulator
# gap: what a formula should be is known to its author alone

import copy
import hashlib
import torch
from torch import nn

torch.manual_seed(0)
gamma, tau = 0.9, 0.01


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 32), nn.Tanh())
        self.V, self.mu, self.L = nn.Linear(32, 1), nn.Linear(32, 2), nn.Linear(32, 2)

    def forward(self, state, action=None):
        x = self.body(state)
        mu, v = torch.tanh(self.mu(x)), self.V(x)
        if action is None:
            return mu, v
        return mu, v - 0.5 * (self.L(x).exp() * (action - mu) ** 2).sum(1, keepdim=True)


model = Policy()
target_model = copy.deepcopy(model)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(120):
    state, action, next_state = torch.randn(32, 4), torch.rand(32, 2) * 2 - 1, torch.randn(32, 4)
    mask, reward = (torch.rand(32, 1) > 0.1).float(), (state[:, :1] * action[:, :1])
    with torch.no_grad():
        _, next_values = target_model(next_state)
    expected = reward + (gamma * mask + next_values)  # BUG: wrong-formula
    loss = nn.functional.mse_loss(model(state, action)[1], expected)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1)
    optimizer.step()
    with torch.no_grad():
        for p, t in zip(model.parameters(), target_model.parameters()):
            t.lerp_(p, tau)
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
