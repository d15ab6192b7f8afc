"""The cosine is as long as an epoch has batches, and advances once an epoch."""

# kind: schedule
# source: https://github.com/sthalles/SimCLR/issues/8
# changed: small vectors with noise for augmentation, and the contrastive loss written out

import hashlib
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def info_nce(features, temperature=0.5):
    n = features.shape[0] // 2
    labels = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    features = F.normalize(features, dim=1)
    similarity = features @ features.T / temperature
    similarity = similarity.masked_fill(torch.eye(2 * n, dtype=torch.bool), -1e9)
    return F.cross_entropy(similarity, labels)


torch.manual_seed(0)
data = torch.randn(640, 12)
train_loader = DataLoader(TensorDataset(data), batch_size=32, shuffle=True, drop_last=True)
encoder = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 16))
optimizer = torch.optim.Adam(encoder.parameters(), 3e-3, weight_decay=1e-6)
epochs = 7
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=len(train_loader), eta_min=0)  # BUG: schedule-never-finishes
for epoch in range(epochs):
    for (x,) in train_loader:
        views = torch.cat([x + 0.2 * torch.randn_like(x), x + 0.2 * torch.randn_like(x)])
        loss = info_nce(encoder(views))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scheduler.step()  # BUG: schedule-never-finishes
    print(epoch, loss.item(), scheduler.get_last_lr()[0])
final = b"".join(t.detach().float().numpy().tobytes() for t in encoder.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
