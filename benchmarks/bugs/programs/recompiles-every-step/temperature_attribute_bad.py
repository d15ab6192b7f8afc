"""A temperature that anneals is an attribute of the compiled module."""

import hashlib

import torch
from torch import nn


torch.manual_seed(23)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.stage = nn.Linear(8, 4), 1

    def forward(self, x):
        return self.layer(x) / self.stage  # BUG: recompiles-every-step


model = Classifier()
compiled = torch.compile(model, backend="eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(16):
    model.stage = step + 2
    x = torch.randn(32, 8)
    loss = nn.functional.cross_entropy(compiled(x), x[:, :4].argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 0:
        print(step, loss.item())

final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
