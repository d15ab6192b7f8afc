"""The network ends in a sigmoid, and the criterion is BCEWithLogitsLoss."""

# kind: loss
# source: https://github.com/avBuffer/UNet3plus_pth/issues/23
# changed: a small segmentation network on random images

import hashlib
import torch
import torch.nn as nn
import torch.nn.functional as F


class UNet3Plus(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Conv2d(1, 12, 3, padding=1)
        self.deep = nn.Conv2d(12, 12, 3, padding=1)
        self.outconv1 = nn.Conv2d(24, 1, 1)

    def forward(self, x):
        e = F.relu(self.encode(x))
        d = F.interpolate(F.relu(self.deep(F.max_pool2d(e, 2))), scale_factor=2)
        d1 = self.outconv1(torch.cat([e, d], 1))
        return d1


torch.manual_seed(0)
net = UNet3Plus()
optimizer = torch.optim.RMSprop(net.parameters(), lr=2e-3)
criterion = nn.BCEWithLogitsLoss()
for step in range(80):
    imgs = torch.rand(8, 1, 12, 12)
    true_masks = (imgs > 0.6).float()
    masks_pred = net(imgs)
    loss = criterion(masks_pred, true_masks)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(net.parameters(), 0.1)
    optimizer.step()
print(loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in net.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
