"""backward() helper that clips each time it is called."""

import hashlib

import torch
import torch.nn as nn


class Engine:
    def __init__(self, module, accum):
        self.module, self.accum, self.calls = module, accum, 0
        self.optimizer = torch.optim.AdamW(module.parameters(), lr=1e-3)

    def backward(self, loss):
        (loss / self.accum).backward()
        self.calls += 1

    def step(self):
        if self.calls % self.accum == 0:
            nn.utils.clip_grad_norm_(self.module.parameters(), 1.0)
            self.optimizer.step()
            self.optimizer.zero_grad()


torch.manual_seed(71)
engine = Engine(nn.Sequential(nn.Linear(10, 32), nn.GELU(), nn.Linear(32, 5)), accum=3)
for i in range(45):
    x = torch.randn(20, 10)
    loss = nn.functional.cross_entropy(engine.module(x), x[:, 5:].argmax(dim=1))
    engine.backward(loss)
    engine.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in engine.module.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
