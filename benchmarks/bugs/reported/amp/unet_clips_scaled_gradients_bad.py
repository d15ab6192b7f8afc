"""scale, backward, clip, step: no unscale_ before the clip."""

# kind: amp
# source: https://github.com/milesial/Pytorch-UNet/issues/468
# changed: a tiny segmentation network on random masks, on the CPU

import hashlib
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inc = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU())
        self.down = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.outc = nn.Conv2d(16, 2, 1)

    def forward(self, x):
        skip = self.inc(x)
        return self.outc(torch.cat([skip, self.up(self.down(skip))], dim=1))


def train_model(model, epochs=5, amp=True, gradient_clipping=1.0):
    images = torch.rand(160, 1, 12, 12)
    masks = (images[:, 0] > 0.5).long()
    loader = DataLoader(TensorDataset(images, masks), shuffle=True, batch_size=8)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3, momentum=0.5)
    grad_scaler = torch.amp.GradScaler("cpu", enabled=amp)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(1, epochs + 1):
        model.train()
        for image, mask in loader:
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=amp):
                loss = criterion(model(image), mask)
            optimizer.zero_grad(set_to_none=True)
            grad_scaler.scale(loss).backward()
            nn.utils.clip_grad_norm_(model.parameters(), gradient_clipping)  # BUG: clip-before-unscale  ALSO: update-too-small, loss-flat, clip-always-active
            grad_scaler.step(optimizer)
            grad_scaler.update()
        print(epoch, loss.item())


torch.manual_seed(0)
model = UNet()
train_model(model)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
