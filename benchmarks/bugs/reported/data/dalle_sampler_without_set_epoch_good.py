"""DistributedSampler shuffles by its epoch, which nobody sets."""

# kind: data
# source: https://github.com/lucidrains/DALLE-pytorch/pull/230
# changed: one replica, and random vectors in place of images

import hashlib
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

torch.manual_seed(0)
x = torch.randn(320, 10)
y = x[:, :3].argmax(1)
ds = TensorDataset(x, y)
data_sampler = DistributedSampler(ds, num_replicas=1, rank=0)
dl = DataLoader(ds, batch_size=16, shuffle=False, drop_last=True, sampler=data_sampler)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(5):
    data_sampler.set_epoch(epoch)
    for i, (inputs, labels) in enumerate(dl):
        loss = nn.functional.cross_entropy(model(inputs), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
final = b"".join(t.detach().float().numpy().tobytes() for t in model.state_dict().values())
print("weights", hashlib.sha256(final).hexdigest()[:16])
