"""It is advanced after every epoch."""

# kind: schedule
# source: https://github.com/ivadomed/ivadomed/pull/55
# changed: a small segmentation head on random images

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
images = torch.randn(96, 1, 8, 8)
masks = (nn.functional.avg_pool2d(images, 3, 1, 1) > 0).float()
train_loader = DataLoader(TensorDataset(images, masks), batch_size=12, shuffle=True)
model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
num_epochs = 12
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, num_epochs)
for epoch in range(1, num_epochs + 1):
    total = 0.0
    for inputs, gts in train_loader:
        preds = model(inputs)
        loss = nn.functional.binary_cross_entropy_with_logits(preds, gts)
        total += loss.item()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scheduler.step()
    print(epoch, total / len(train_loader), scheduler.get_last_lr()[0])
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
