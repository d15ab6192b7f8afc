"""The epoch function clears the gradients first."""

# kind: accumulation
# source: https://github.com/yastrebksv/TennisCourtDetector/issues/7
# changed: heat maps of random small images

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, train_loader, optimizer, criterion, epoch, max_iters):
    model.train()
    losses = []
    for iter_id, batch in enumerate(train_loader):
        out = model(batch[0])
        loss = criterion(torch.sigmoid(out), batch[1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if iter_id > max_iters:
            break
    print(epoch, sum(losses) / len(losses))


torch.manual_seed(0)
images = torch.rand(160, 3, 12, 12)
maps = (images.mean(1, keepdim=True) > 0.55).float()
loader = DataLoader(TensorDataset(images, maps), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.999))
for epoch in range(6):
    train(model, loader, optimizer, nn.MSELoss(), epoch, 200)
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
