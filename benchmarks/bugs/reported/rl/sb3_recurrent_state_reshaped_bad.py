"""States of a recurrent policy are reshaped where their axes should be swapped, so that layers and sequences mix."""

# kind: rl
# source: https://github.com/Stable-Baselines-Team/stable-baselines3-contrib/issues/111
# changed: a recurrent value function on made-up rollouts

import hashlib

import torch
from torch import nn

n_layers, dim, n_seq = 2, 16, 8


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, dim, n_layers)
        self.value = nn.Linear(dim, 1)

    def forward(self, obs, states):
        out, states = self.lstm(obs, states)
        return self.value(out).squeeze(-1), states


torch.manual_seed(0)
policy = Recurrent()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for rollout in range(40):
    obs = torch.randn(12, n_seq, 6)
    returns = obs.sum(-1).cumsum(0) / 4
    with torch.no_grad():
        _, (hidden, cell) = policy(obs[:4], None)
        hidden_buffer, cell_buffer = hidden.swapaxes(0, 1), cell.swapaxes(0, 1)  # n_seq, n_layers, dim
    for start in range(0, n_seq, 4):
        picked = slice(start, start + 4)
        states = (
            hidden_buffer[picked].reshape(n_layers, 4, -1).contiguous(),  # BUG: samples-mixed-in-batch
            cell_buffer[picked].reshape(n_layers, 4, -1).contiguous(),  # BUG: samples-mixed-in-batch
        )
        values, _ = policy(obs[4:, picked], states)  # BUG: samples-mixed-in-batch
        loss = nn.functional.mse_loss(values, returns[4:, picked])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
        optimizer.step()
print(loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in policy.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
