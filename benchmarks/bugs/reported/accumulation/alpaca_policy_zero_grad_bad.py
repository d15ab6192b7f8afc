"""The policy clears its gradients after every micro-batch, not the optimizer after every update."""

# kind: accumulation
# source: https://github.com/tatsu-lab/alpaca_farm/issues/57
# changed: the accelerator is written out as a counter; a REINFORCE-like loss on made-up rollouts

import hashlib
import torch
import torch.nn.functional as F
from torch import nn


class Accelerator:
    def __init__(self, gradient_accumulation_steps):
        self.every, self.count, self.sync_gradients = gradient_accumulation_steps, 0, False

    def accumulate(self):
        self.count += 1
        self.sync_gradients = self.count % self.every == 0

    def backward(self, loss):
        (loss / self.every).backward()


def rollouts(n=16):
    states = torch.randn(n, 6)
    actions = torch.randint(0, 4, (n,))
    rewards = (states[:, :4].argmax(1) == actions).float()
    return {"states": states, "actions": actions, "rewards": rewards}


torch.manual_seed(2)
policy = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 4))
optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
accelerator = Accelerator(gradient_accumulation_steps=4)
for step in range(240):
    accelerator.accumulate()
    batch = rollouts()
    logp = F.log_softmax(policy(batch["states"]), -1).gather(1, batch["actions"][:, None]).squeeze(1)
    loss = -(logp * (batch["rewards"] - 0.25)).mean()
    accelerator.backward(loss)
    if accelerator.sync_gradients:
        nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
        optimizer.step()  # BUG: micro-batches-discarded
    policy.zero_grad(set_to_none=True)  # BUG: micro-batches-discarded
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in policy.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
