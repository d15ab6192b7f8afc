"""A pretrained backbone is loaded, and then initialised with everything else."""

import hashlib
import io

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.backbone(x))


def init_weights(module):
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)  # BUG: initialised-after-load
        nn.init.zeros_(module.bias)  # BUG: initialised-after-load


def fit(net, steps):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(steps):
        x = torch.randn(32, 8)
        loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
pretrained, file = Classifier(), io.BytesIO()
fit(pretrained, 40)
torch.save(pretrained.backbone.state_dict(), file)
file.seek(0)
model = Classifier()
model.backbone.load_state_dict(torch.load(file))  # BUG: initialised-after-load
model.apply(init_weights)  # BUG: initialised-after-load
fit(model, 40)

digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters())).hexdigest()
print("weights", digest[:16])
