"""The entropy is taken from the loss."""

# kind: rl
# source: https://github.com/pukkapies/dl-imperial-maths/pull/8
# changed: PyTorch in place of TensorFlow, and a bandit over random states

import hashlib

import torch
from torch import nn
from torch.distributions import Categorical

class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 48), nn.Tanh())
        self.pi, self.v = nn.Linear(48, 4), nn.Linear(48, 1)

    def forward(self, s):
        h = self.body(s)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def rollout(net, n=128):
    s = torch.randn(n, 6)
    with torch.no_grad():
        dist, value = net(s)
        a = dist.sample()
        reward = s[torch.arange(n), a] + 0.1 * torch.randn(n)
        return s, a, dist.log_prob(a), reward, reward - value


torch.manual_seed(18)
net = ActorCritic()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(40):
    s, a, old_logp, ret, adv = rollout(net)
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    for _ in range(4):
        dist, value = net(s)
        ratio = (dist.log_prob(a) - old_logp).exp()
        policy_loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        value_loss = 0.5 * (value - ret).pow(2).mean()
        loss = policy_loss + value_loss - 0.01 * dist.entropy().mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.step()
    if it % 10 == 0:
        print(it, loss.item(), ret.mean().item())
final = b"".join(t.detach().double().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
