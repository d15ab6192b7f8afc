"""The backbone is to be frozen, but `eval()` is all that is done to it: its weights keep training."""

# kind: parameters
# source: https://github.com/alexrich021/3dvnet/issues/11
# changed: a small image regressor, pretrained for a moment
# gap: layers in eval mode that train are also meant, as with frozen statistics

import hashlib

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())


def batch():
    x = torch.randn(16, 3, 10, 10)
    return x, x.mean((2, 3))


pretrain = nn.Sequential(backbone, nn.Linear(32, 3))
optimizer = torch.optim.Adam(pretrain.parameters(), lr=1e-3)
for _ in range(30):
    x, y = batch()
    optimizer.zero_grad()
    nn.functional.mse_loss(pretrain(x), y).backward()
    optimizer.step()


class Refiner(nn.Module):
    def __init__(self, mnasnet):
        super().__init__()
        self.mnasnet = mnasnet
        self.shrinker = nn.Linear(32, 16)
        self.out = nn.Linear(16, 3)

    def train(self, mode=True):
        super().train(mode)
        self.mnasnet.eval()  # freeze backbone  # BUG: eval-is-no-freeze
        return self

    def forward(self, x):
        return self.out(torch.relu(self.shrinker(self.mnasnet(x))))


model = Refiner(backbone)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # BUG: eval-is-no-freeze
for epoch in range(4):
    model.train()
    for _ in range(20):
        x, y = batch()
        loss = nn.functional.mse_loss(model(x), 2 * y)
        optimizer.zero_grad()
        loss.backward()  # BUG: eval-is-no-freeze
        optimizer.step()  # BUG: eval-is-no-freeze
    print(epoch, loss.item())
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
