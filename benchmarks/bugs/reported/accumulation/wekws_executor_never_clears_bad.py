"""The executor backwards, clips and steps, and never clears gradients."""

# kind: accumulation
# source: https://github.com/wenet-e2e/wekws/pull/73
# changed: a keyword classifier on random frames; the loss pools over time

import hashlib
import torch
from torch import nn

torch.manual_seed(0)


class Executor:
    def __init__(self):
        self.step = 0

    def train(self, model, optimizer, batches, grad_clip=5.0):
        model.train()
        for feats, target in batches:
            logits = model(feats).amax(1)
            loss = nn.functional.cross_entropy(logits, target)
            loss.backward()  # BUG: stale-gradients
            norm = nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
            if torch.isfinite(norm):
                optimizer.step()  # BUG: stale-gradients
            self.step += 1
        return loss.item()


def make_batches(n):
    for _ in range(n):
        target = torch.randint(0, 3, (16,))
        feats = 0.5 * torch.randn(16, 9, 8)
        feats[torch.arange(16), torch.randint(0, 9, (16,)), target] += 2
        yield feats, target


model = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer, executor = torch.optim.Adam(model.parameters(), lr=1e-3), Executor()
for epoch in range(5):
    print(epoch, executor.train(model, optimizer, make_batches(20)))
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
