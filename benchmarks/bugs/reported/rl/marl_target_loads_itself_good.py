"""The target mixer loads its own weights."""

# kind: rl
# source: https://github.com/thesouther/MARL/issues/8
# changed: two agents with a small mixing network on random transitions

import hashlib
import copy
import torch
from torch import nn

torch.manual_seed(18)


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.b = nn.Linear(6, 2), nn.Linear(6, 1)

    def forward(self, qs, state):
        return (qs * self.w(state).abs()).sum(1, keepdim=True) + self.b(state)


class Policy:
    def __init__(self):
        self.eval_rnn, self.eval_qmix_net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 3)), Mixer()
        self.target_rnn, self.target_qmix_net = copy.deepcopy(self.eval_rnn), copy.deepcopy(self.eval_qmix_net)
        self.params = [*self.eval_rnn.parameters(), *self.eval_qmix_net.parameters()]
        self.optimizer = torch.optim.RMSprop(self.params, lr=5e-4)

    def learn(self, batch, step):
        obs, acts, rew, nobs, state, nstate, done = batch
        q = self.eval_rnn(obs).gather(2, acts).squeeze(2)
        with torch.no_grad():
            q_next = self.target_rnn(nobs).max(2)[0]
            target = rew + 0.99 * (1 - done) * self.target_qmix_net(q_next, nstate)
        loss = ((self.eval_qmix_net(q, state) - target) ** 2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.params, 10)
        self.optimizer.step()
        if step % 50 == 0:
            self.target_rnn.load_state_dict(self.eval_rnn.state_dict())
            self.target_qmix_net.load_state_dict(self.eval_qmix_net.state_dict())


policy = Policy()
for step in range(300):
    policy.learn((torch.randn(32, 2, 5), torch.randint(0, 3, (32, 2, 1)), torch.randn(32, 1), torch.randn(32, 2, 5), torch.randn(32, 6), torch.randn(32, 6), torch.randint(0, 2, (32, 1)).float()), step)
model = policy.eval_qmix_net

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
