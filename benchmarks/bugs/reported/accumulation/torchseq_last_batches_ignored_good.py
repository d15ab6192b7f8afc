"""A step needs 96 samples; what the end of an epoch leaves over is cleared with the next."""

# kind: accumulation
# source: https://github.com/tomhosking/torchseq/issues/8
# changed: a classifier of random vectors in place of a sequence-to-sequence model

import hashlib
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_one_epoch(model, optimizer, loader, optim_batch_size):
    model.train()
    optimizer.zero_grad()
    samples_seen = 0
    for batch_idx, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y, reduction="sum") / optim_batch_size
        loss.backward()
        samples_seen += x.shape[0]
        last = batch_idx == len(loader) - 1
        if samples_seen >= optim_batch_size or last:
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            optimizer.zero_grad()
            samples_seen = 0
    return loss.item()


torch.manual_seed(1)
x = torch.randn(256, 10)
y = x[:, :3].argmax(dim=1)
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(12):
    print(epoch, train_one_epoch(model, optimizer, loader, optim_batch_size=96))
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
