"""The layers of a merge layer are kept in a Python list."""

# kind: parameters
# source: https://github.com/asyml/texar-pytorch/issues/72
# changed: parallel linear layers over random vectors

import hashlib
import torch
from torch import nn


class MergeLayer(nn.Module):
    def __init__(self, layers, mode="concat"):
        super().__init__()
        self._mode = mode
        self._layers = nn.ModuleList()
        for layer in layers:
            self._layers.append(layer)

    def forward(self, x):
        outputs = [layer(x) for layer in self._layers]
        return torch.cat(outputs, dim=-1) if self._mode == "concat" else sum(outputs)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.merge = MergeLayer([nn.Linear(12, 16) for _ in range(3)])
        self.out = nn.Linear(48, 4)

    def forward(self, x):
        return self.out(torch.relu(self.merge(x)))


torch.manual_seed(0)
model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(120):
    x = torch.randn(32, 12)
    loss = nn.functional.cross_entropy(model(x), (x[:, :4] ** 2).argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 0:
        print(step, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
