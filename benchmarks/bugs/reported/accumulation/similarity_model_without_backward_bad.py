"""The training loop steps, and backward was deleted in a clean-up."""

# kind: accumulation
# source: https://github.com/aalto-intelligent-robotics/sivl/issues/2
# changed: two small branches on random vectors in place of aerial images

import hashlib
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
anchor = torch.randn(256, 12)
positive = anchor + 0.1 * torch.randn(256, 12)
loader = DataLoader(TensorDataset(anchor, positive), batch_size=16, shuffle=True)
branch = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))
criterion = nn.TripletMarginLoss(margin=1.0)
optimizer = torch.optim.Adam(branch.parameters(), lr=1e-3)

for epoch in range(8):
    epoch_loss = 0.0
    for a, p in loader:
        optimizer.zero_grad()
        negative = p.roll(1, dims=0)
        loss = criterion(branch(a), branch(p), branch(negative))
        optimizer.step()  # BUG: step-without-backward, backward-misses-optimizer  ALSO: loss-flat
        epoch_loss += loss.item()
    print(epoch, epoch_loss / len(loader))
final = b"".join(t.detach().float().numpy().tobytes() for t in branch.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
