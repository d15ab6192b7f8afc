"""init_weights loads the pretrained backbone, and goes on to initialise its layers."""

# kind: resume
# source: https://github.com/open-mmlab/mmpretrain/pull/318
# changed: a small convolutional backbone, pretrained in the same script

import hashlib
import io

import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self, init_cfg=None):
        super().__init__()
        self.init_cfg = init_cfg
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, stride=2, padding=1)

    def init_weights(self):
        if self.init_cfg is not None and self.init_cfg["type"] == "Pretrained":
            self.init_cfg["checkpoint"].seek(0)
            self.load_state_dict(torch.load(self.init_cfg["checkpoint"]))  # BUG: initialised-after-load
        for name, m in self.named_modules():
            if isinstance(m, nn.Conv2d):
                if "conv1" in name:
                    nn.init.normal_(m.weight, mean=0, std=0.01)  # BUG: initialised-after-load
                else:
                    nn.init.normal_(m.weight, mean=0, std=1.0 / m.weight.shape[1])  # BUG: initialised-after-load

    def forward(self, x):
        return torch.relu(self.conv2(torch.relu(self.conv1(x)))).mean((2, 3))


def fit(backbone, classes, steps):
    model = nn.Sequential(backbone, nn.Linear(16, classes))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(steps):
        images = torch.randn(32, 1, 8, 8)
        labels = (images[:, 0, :4].mean((1, 2)) > 0).long() % classes
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
    return model


torch.manual_seed(0)
source = Backbone()
fit(source, 2, 60)
checkpoint = io.BytesIO()
torch.save(source.state_dict(), checkpoint)
target = Backbone(init_cfg={"type": "Pretrained", "checkpoint": checkpoint})
target.init_weights()  # BUG: initialised-after-load
classifier = fit(target, 2, 60)
final = b"".join(t.detach().float().numpy().tobytes() for t in classifier.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
