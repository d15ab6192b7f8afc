"""The batch-norm momentum 0.99 is that of TensorFlow, where it means the opposite."""

# kind: batchnorm
# source: https://github.com/pytorch/vision/issues/8250
# changed: a small convolutional stem in place of MaxViT

import hashlib
from functools import partial

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

norm_layer = partial(nn.BatchNorm2d, eps=1e-3, momentum=0.01)


class Stem(nn.Sequential):
    def __init__(self, channels=12):
        super().__init__(
            nn.Conv2d(3, channels, 3, padding=1, bias=False),
            norm_layer(channels),
            nn.GELU(),
            nn.Conv2d(channels, channels, 3, stride=2, bias=False),
            norm_layer(channels),
            nn.GELU(),
        )


torch.manual_seed(0)
model = nn.Sequential(Stem(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 4))
labels = torch.randint(0, 4, (480,))
images = torch.randn(480, 3, 8, 8) + labels[:, None, None, None] / 2
train = DataLoader(TensorDataset(images[:400], labels[:400]), batch_size=20, shuffle=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for epoch in range(5):
    model.train()
    for image, label in train:
        loss = nn.functional.cross_entropy(model(image), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, (model(images[400:]).argmax(1) == labels[400:]).float().mean().item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
