"""Features are frozen by an attribute that does not exist."""

# kind: parameters
# source: https://github.com/udacity/deep-learning-v2-pytorch/issues/12
# changed: a small convolutional network in place of VGG

import hashlib
import torch
from torch import nn, optim


class VGG(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 16, 3), nn.ReLU())
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 5))

    def forward(self, x):
        return self.classifier(self.features(x))


torch.manual_seed(0)
vgg = VGG()
# Freeze training for all "features" layers
for param in vgg.features.parameters():
    param.require_grad = False  # BUG: misspelled-requires-grad

criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(vgg.parameters(), lr=0.02)
for batch_i in range(80):
    target = torch.randint(0, 5, (20,))
    data = torch.randn(20, 3, 8, 8) + (target / 2)[:, None, None, None]
    optimizer.zero_grad()
    loss = criterion(vgg(data), target)
    loss.backward()
    optimizer.step()
    if batch_i % 20 == 0:
        print(batch_i, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in vgg.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
