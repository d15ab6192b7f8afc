"""The policy is stepped, and the value head is clipped."""

# kind: rl
# source: https://github.com/google-deepmind/open_spiel/issues/827
# changed: random returns in place of a game; one torso with two heads

import hashlib
import torch
from torch import nn

torch.manual_seed(21)
torso = nn.Sequential(nn.Linear(6, 32), nn.ReLU())
policy_head, value_head = nn.Linear(32, 4), nn.Linear(32, 1)
pi_params = [*torso.parameters(), *policy_head.parameters()]
pi_opt = torch.optim.SGD(pi_params, lr=0.01)
v_opt = torch.optim.SGD(value_head.parameters(), lr=0.05)
for episode in range(200):
    obs = torch.randn(40, 6)
    acts = torch.randint(0, 4, (40,))
    returns = obs[:, 0] + torch.randn(40) * 0.1
    baseline = value_head(torso(obs).detach()).squeeze(-1)
    v_loss = (returns - baseline).pow(2).mean()
    v_opt.zero_grad()
    v_loss.backward()
    v_opt.step()
    logp = policy_head(torso(obs)).log_softmax(-1)
    adv = returns - baseline.detach()
    pi_loss = -(logp.gather(1, acts[:, None]).squeeze(1) * adv).mean()
    pi_opt.zero_grad()
    v_opt.zero_grad()
    pi_loss.backward()
    nn.utils.clip_grad_norm_(value_head.parameters(), 0.5)  # BUG: clip-without-gradients
    pi_opt.step()
model = nn.ModuleList([torso, policy_head, value_head])

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
