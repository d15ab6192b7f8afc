"""Segmentation with a small U-Net."""

import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

steps = int(sys.argv[1])
torch.manual_seed(0)


def double_conv(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True),
        nn.Conv2d(outputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True),
    )  # fmt: skip


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down_1, self.down_2, self.bottom = double_conv(1, 16), double_conv(16, 32), double_conv(32, 64)
        self.up_2, self.up_1 = nn.ConvTranspose2d(64, 32, 2, stride=2), nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.join_2, self.join_1 = double_conv(64, 32), double_conv(32, 16)
        self.head = nn.Conv2d(16, 1, 1)

    def forward(self, x):
        one = self.down_1(x)
        two = self.down_2(F.max_pool2d(one, 2))
        x = self.bottom(F.max_pool2d(two, 2))
        x = self.join_2(torch.cat([self.up_2(x), two], dim=1))
        x = self.join_1(torch.cat([self.up_1(x), one], dim=1))
        return self.head(x)


def dice(logits, masks):
    p = logits.sigmoid()
    return 1 - (2 * (p * masks).sum() + 1) / (p.sum() + masks.sum() + 1)


masks = (F.interpolate(torch.randn(256, 1, 4, 4), size=32, mode="bilinear") > 0).float()
images = masks + 0.5 * torch.randn_like(masks)
loader = DataLoader(TensorDataset(images, masks), batch_size=8, shuffle=True)
model = UNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

step = 0
while step < steps:
    for x, y in loader:
        if step == steps:
            break
        logits = model(x)
        loss = F.binary_cross_entropy_with_logits(logits, y) + dice(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(f"step {step}: loss {loss.item():.4f}")
        step += 1

print("weights", sum(p.detach().double().abs().sum() for p in model.parameters()).item())
