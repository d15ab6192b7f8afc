"""Validation switches gradients off, and leaves the model in train mode."""

# kind: mode
# source: https://github.com/ugent-korea/pytorch-unet-segmentation/issues/18
# changed: a small network with batch-norm, which the reported one did not have

import hashlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def block(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.mid, self.up = block(1, 8), block(8, 8), block(16, 8)
        self.last = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        a = self.down(x)
        b = nn.functional.interpolate(self.mid(nn.functional.max_pool2d(a, 2)), scale_factor=2)
        return self.last(self.up(torch.cat([a, b], 1)))


def train_model(model, loader, criterion, optimizer):
    model.train()
    for images, masks in loader:
        loss = criterion(model(images), masks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def validate_model(model, loader, criterion):
    total = 0.0
    with torch.no_grad():
        for images, masks in loader:
            total += criterion(model(images), masks).item()  # BUG: evaluating-in-train-mode
    return total / len(loader)


torch.manual_seed(36)
images = torch.randn(160, 1, 8, 8)
masks = (nn.functional.avg_pool2d(images, 3, 1, 1) > 0).float()
train_loader = DataLoader(TensorDataset(images[:128], masks[:128]), batch_size=16, shuffle=True)
val_loader = DataLoader(TensorDataset(images[128:], masks[128:]), batch_size=16)
model = UNet()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(6):
    train_model(model, train_loader, criterion, optimizer)
    print(epoch, validate_model(model, val_loader, criterion))
final = b"".join(t.detach().double().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
