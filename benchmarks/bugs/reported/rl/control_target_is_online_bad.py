"""After a copy of the weights the target network becomes the online network itself."""

# kind: rl
# source: https://github.com/andri27-ts/Reinforcement-Learning/issues/14
# changed: random transitions in place of a game
# gap: a second name of a module leaves no trace that could be told from an ordinary variable

import hashlib

import torch
from torch import nn


def make():
    return nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4))


class CentralControl:
    def __init__(self, gamma=0.97, n_steps_to_sync=20):
        self.moving_nn = make()
        self.target_nn = make()
        self.target_nn.load_state_dict(self.moving_nn.state_dict())
        self.optimizer = torch.optim.Adam(self.moving_nn.parameters(), lr=1e-3)
        self.gamma, self.n_steps_to_sync, self.steps = gamma, n_steps_to_sync, 0

    def optimize(self, states, actions, rewards, next_states, done):
        loss = self._calculate_loss(states, actions, rewards, next_states, done)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.steps += 1
        if self.steps % self.n_steps_to_sync == 0:
            self.target_nn.load_state_dict(self.moving_nn.state_dict())
            self.target_nn = self.moving_nn  # BUG: target-is-online
        return loss.item()

    def _calculate_loss(self, states, actions, rewards, next_states, done):
        state_action_values = self.moving_nn(states).gather(1, actions[:, None]).squeeze(-1)
        next_state_values = self.target_nn(next_states).max(1)[0]  # BUG: target-is-online
        next_state_values = next_state_values.masked_fill(done, 0.0).detach()
        expected = next_state_values * self.gamma + rewards
        return nn.MSELoss()(state_action_values, expected)  # BUG: target-is-online


torch.manual_seed(4)
control = CentralControl()
for step in range(200):
    states = torch.randn(32, 8)
    actions = torch.randint(0, 4, (32,))
    rewards = states[torch.arange(32), actions]
    loss = control.optimize(states, actions, rewards, states.roll(1, 1), torch.rand(32) < 0.1)
print(loss)
final = b"".join(t.detach().double().numpy().tobytes() for t in control.moving_nn.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
